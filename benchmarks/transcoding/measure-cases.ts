import { setImmediate } from "node:timers/promises";
import { type Spread, spreadOf } from "../comparison.ts";

/** Work that is measured repeatedly. */
export interface Case {
  readonly title: string;
  /** Does the work once. `index` counts the calls, to vary the input. */
  readonly run: (index: number) => unknown;
}

/** Number and length of the rounds. */
export interface CasePlan {
  readonly rounds: number;
  /** Duration of each case in a round. */
  readonly roundMs: number;
}

/** Cost of one run of a case: CPU time of the whole process, including garbage collection, in microseconds. */
export interface CaseCost {
  readonly title: string;
  readonly microseconds: Spread;
}

/** Measures cases in turn, round by round, so that changes on the machine affect all of them. */
export async function measureCases(cases: readonly Case[], plan: CasePlan): Promise<CaseCost[]> {
  const counts: number[] = [];
  for (const one of cases) counts.push(await calibrate(one, plan.roundMs));
  const samples = cases.map((): number[] => []);
  for (let round = 0; round < plan.rounds; round++) {
    // Lets signals be handled.
    await setImmediate();
    for (const [index, one] of cases.entries()) {
      samples[index]?.push(await processorTime(one, counts[index] ?? 1));
    }
  }
  return cases.map(({ title }, index) => ({ title, microseconds: spreadOf(samples[index] ?? []) }));
}

/** Warms a case up, and returns how often it runs in that time. */
async function calibrate(one: Case, ms: number): Promise<number> {
  let count = 1000;
  for (;;) {
    const microseconds = await processorTime(one, count);
    if (microseconds * count >= ms * 1000) return count;
    count *= 2;
  }
}

/** Stores results where the optimizer cannot prove that they are unused. */
export let sink: unknown;

async function processorTime({ run }: Case, count: number): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index++) {
    sink = run(index);
    // Awaits asynchronous cases, as a server would.
    if (sink instanceof Promise) sink = await sink;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
