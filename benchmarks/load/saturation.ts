import type { Lane } from "./lane.ts";

/**
 * Sends a request on each lane as soon as the previous one is answered.
 *
 * @returns the latencies in milliseconds, each from the time of sending.
 */
export function runSaturated(lanes: readonly Lane[], seconds: number): Promise<number[]> {
  const latencies: number[] = [];
  let turn = 0;
  const end = performance.now() + seconds * 1000;
  const runLane = (lane: Lane) =>
    new Promise<void>((resolve) => {
      let sent = performance.now();
      const answered = () => {
        const now = performance.now();
        latencies.push(now - sent);
        if (now >= end) return resolve();
        sent = now;
        lane.send(turn++, answered);
      };
      lane.send(turn++, answered);
    });
  return Promise.all(lanes.map(runLane)).then(() => latencies);
}
