import type { Lane } from "./lane.ts";

/** Maximum time between two checks for due requests, in milliseconds. Node's timers have a resolution of 1 ms. */
const NAP_MS = 0.05;

const nap = new Int32Array(new SharedArrayBuffer(4));

/**
 * Sends requests at predetermined random times around a rate, like many independent users, each on the lane that has been free
 * longest. If no lane is free, the request waits for one.
 *
 * @returns the latencies in milliseconds, each from the time at which the request was due.
 */
export function runAtRate(lanes: readonly Lane[], requestsPerSecond: number, seconds: number): Promise<number[]> {
  const latencies: number[] = [];
  const dues = dueMoments(requestsPerSecond, seconds);
  const start = performance.now();
  const free = [...lanes];
  let turn = 0;
  const nextDue = () => start + (dues[turn] ?? Number.POSITIVE_INFINITY);
  const sendOn = (lane: Lane) => {
    const due = nextDue();
    lane.send(turn++, () => {
      const now = performance.now();
      latencies.push(now - due);
      if (nextDue() <= now) sendOn(lane);
      else free.push(lane);
    });
  };
  return new Promise((resolve) => {
    const look = () => {
      if (latencies.length === dues.length) return resolve(latencies);
      // If no lane is free, the next response sends the due requests.
      const wait = free.length === 0 ? NAP_MS : nextDue() - performance.now();
      if (wait > 0) Atomics.wait(nap, 0, 0, Math.min(wait, NAP_MS));
      for (const now = performance.now(); nextDue() <= now && free.length > 0; ) sendOn(free.shift() as Lane);
      // Processes pending I/O without waiting.
      setImmediate(look);
    };
    look();
  });
}

/** Returns the times of a Poisson process, in milliseconds from the start. They are the same for each server. */
function dueMoments(perSecond: number, seconds: number): Float64Array {
  const random = createRandom(1);
  const moments = new Float64Array(Math.round(perSecond * seconds));
  let moment = 0;
  for (let index = 0; index < moments.length; index++) {
    moment += (-Math.log(1 - random()) * 1000) / perSecond;
    moments[index] = moment;
  }
  return moments;
}

/** Generates pseudo-random numbers from 0 to 1: mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
