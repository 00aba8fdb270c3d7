// The process that puts mixed loads on a server and counts rejected requests.
import { openHttp1Lane, prepareHttp1Request } from "../load/http1-lane.ts";
import { prepareCallFrames } from "../load/http2-frames.ts";
import { openHttp2Lanes } from "../load/http2-lanes.ts";
import type { Lane, OnFailure } from "../load/lane.ts";
import type { LoadInterval, MixedLoad, MixedLoadPart, MixedLoadResult } from "./mixed-load.ts";

const HTTP2_CONNECTIONS = 4;

const REFUSED = 503;

/** Step through the kinds; coprime to the sum of their weights, so that they mix. */
const STRIDE = 37;

const QUARTER_MS = 250;

/** Maximum time between two checks for due requests, in milliseconds. */
const NAP_MS = 0.05;

const nap = new Int32Array(new SharedArrayBuffer(4));

process.on("message", (load: MixedLoad) => {
  generate(load).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});

// The parent has exited.
process.on("disconnect", () => process.exit(1));

async function generate(load: MixedLoad): Promise<MixedLoadResult> {
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  const lanes = await Promise.all(
    load.parts.map((part) => openLanes(part, load.port, (reason) => failure.reject(new Error(reason)))),
  );
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  try {
    const outcomes = await Promise.race([run(load, lanes), failure.promise]);
    const { user, system } = process.cpuUsage(cpuBefore);
    return {
      stages: outcomes.stages(load.stages.map(({ seconds }) => seconds)),
      quarters: outcomes.quarters(),
      generatorUse: (user + system) / 1000 / (performance.now() - start),
    };
  } finally {
    for (const lane of lanes.flat()) lane.close();
  }
}

async function openLanes(
  { protocol, requests, status, lanes }: MixedLoadPart,
  port: number,
  fail: OnFailure,
): Promise<Lane[]> {
  if (protocol === "json") {
    const bytes = requests.map((request) => prepareHttp1Request(request, port));
    return Promise.all(Array.from({ length: lanes }, () => openHttp1Lane(port, bytes, status, fail, REFUSED)));
  }
  const frames = requests.map((request) => prepareCallFrames(request, port));
  const count = Math.ceil(lanes / HTTP2_CONNECTIONS);
  const opening = Array.from({ length: HTTP2_CONNECTIONS }, () => openHttp2Lanes(port, frames, count, fail, true));
  return (await Promise.all(opening)).flat();
}

/** Sends requests at a constant rate, each kind by its weight, until all are answered or abandoned. */
function run({ parts, stages, timeoutMs }: MixedLoad, lanes: readonly Lane[][]): Promise<Outcomes> {
  const outcomes = new Outcomes(stages.reduce((sum, { seconds }) => sum + seconds, 0));
  const kinds = parts.flatMap(({ weight }, kind) => Array<number>(weight).fill(kind));
  const dues = dueMoments(stages);
  const waiting: number[][] = parts.map(() => []);
  const free = lanes.map((each) => [...each]);
  const turns = parts.map(() => 0);
  const start = performance.now();
  let due = 0;
  let done = 0;
  const dueAt = (index: number) => start + (dues[index] as number);

  const sendNext = (kind: number, lane: Lane): void => {
    for (;;) {
      const index = waiting[kind]?.shift();
      if (index === undefined) {
        free[kind]?.push(lane);
        return;
      }
      const at = dueAt(index);
      if (performance.now() - at > timeoutMs) {
        outcomes.note(at - start, "late", 0);
        done++;
        continue;
      }
      lane.send((turns[kind] as number)++, (isGood) => {
        const latency = performance.now() - at;
        outcomes.note(at - start, !isGood ? "refused" : latency <= timeoutMs ? "good" : "late", latency);
        done++;
        sendNext(kind, lane);
      });
      return;
    }
  };

  return new Promise((resolve) => {
    const look = () => {
      if (done === dues.length) return resolve(outcomes);
      const wait = due === dues.length ? NAP_MS : dueAt(due) - performance.now();
      if (wait > 0) Atomics.wait(nap, 0, 0, Math.min(wait, NAP_MS));
      for (const now = performance.now(); due < dues.length && dueAt(due) <= now; due++) {
        const kind = kinds[(due * STRIDE) % kinds.length] as number;
        waiting[kind]?.push(due);
        const lane = free[kind]?.shift();
        if (lane !== undefined) sendNext(kind, lane);
      }
      setImmediate(look);
    };
    look();
  });
}

/** Returns the due time in milliseconds from the start. */
function dueMoments(stages: MixedLoad["stages"]): number[] {
  let start = 0;
  return stages.flatMap(({ seconds, requestsPerSecond }) => {
    const from = start;
    start += seconds * 1000;
    const count = Math.round(seconds * requestsPerSecond);
    return Array.from({ length: count }, (_, index) => from + (index * 1000) / requestsPerSecond);
  });
}

type Outcome = "good" | "refused" | "late";

/** Counts outcomes of requests, by the quarter of a second in which they were due. */
class Outcomes {
  readonly #quarters: Record<Outcome, number[]>[];

  constructor(seconds: number) {
    const count = Math.ceil((seconds * 1000) / QUARTER_MS);
    this.#quarters = Array.from({ length: count }, () => ({ good: [], refused: [], late: [] }));
  }

  note(dueMs: number, outcome: Outcome, latency: number): void {
    this.#quarters[Math.min(this.#quarters.length - 1, Math.floor(dueMs / QUARTER_MS))]?.[outcome].push(latency);
  }

  quarters(): LoadInterval[] {
    return this.#quarters.map((quarter) => stretchOf([quarter]));
  }

  /** Returns the results of stages with these durations in seconds. */
  stages(seconds: readonly number[]): LoadInterval[] {
    let from = 0;
    return seconds.map((each) => {
      const quarters = this.#quarters.slice(from, from + (each * 1000) / QUARTER_MS);
      from += quarters.length;
      return stretchOf(quarters);
    });
  }
}

function stretchOf(quarters: readonly Record<Outcome, number[]>[]): LoadInterval {
  const good = Float64Array.from(quarters.flatMap((quarter) => quarter.good)).sort();
  const refused = Float64Array.from(quarters.flatMap((quarter) => quarter.refused)).sort();
  return {
    good: good.length,
    p50: percentile(good, 0.5),
    p99: percentile(good, 0.99),
    refused: refused.length,
    refusedP50: percentile(refused, 0.5),
    late: quarters.reduce((sum, { late }) => sum + late.length, 0),
  };
}

function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
