import { setImmediate } from "node:timers/promises";
import { type Spread, spreadOf } from "../comparison.ts";

/** A piece of work that is done over and over. */
export interface Case {
  readonly title: string;
  /** Does the work once; `index` counts the calls, so that it can differ from one to the next. */
  readonly run: (index: number) => unknown;
}

/** How long to measure. */
export interface CasePlan {
  readonly rounds: number;
  /** How long each case runs in a round. */
  readonly roundMs: number;
}

/** What one run of a case costs: processor time of the whole process, its garbage collector too, in microseconds. */
export interface CaseCost {
  readonly title: string;
  readonly microseconds: Spread;
}

/** Measures cases in turn, round by round, so that what changes on the machine meets all of them. */
export async function measureCases(cases: readonly Case[], plan: CasePlan): Promise<CaseCost[]> {
  const counts: number[] = [];
  for (const one of cases) counts.push(await calibrate(one, plan.roundMs));
  const samples = cases.map((): number[] => []);
  for (let round = 0; round < plan.rounds; round++) {
    // Lets signals through.
    await setImmediate();
    for (const [index, one] of cases.entries()) {
      samples[index]?.push(await processorTime(one, counts[index] ?? 1));
    }
  }
  return cases.map(({ title }, index) => ({ title, microseconds: spreadOf(samples[index] ?? []) }));
}

/** Warms a case up, and finds how often it runs in that time. */
async function calibrate(one: Case, ms: number): Promise<number> {
  let count = 1000;
  for (;;) {
    const microseconds = await processorTime(one, count);
    if (microseconds * count >= ms * 1000) return count;
    count *= 2;
  }
}

/** Kept where the optimiser sees that it may be read, so that no work is left out. */
export let sink: unknown;

async function processorTime({ run }: Case, count: number): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index++) {
    sink = run(index);
    // A case that has to wait is one that a server would wait for as well.
    if (sink instanceof Promise) sink = await sink;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
