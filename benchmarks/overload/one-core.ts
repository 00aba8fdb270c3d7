import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

/**
 * Keeps processes, and what they start from then on, to one core of the machine, so that those on another do not take their time.
 *
 * @returns whether that could be done: the machine has two cores, and `taskset` of util-linux.
 */
export function keepToCore(core: number, pids: readonly number[]): boolean {
  if (availableParallelism() < 2) return false;
  return pids.every((pid) => spawnSync("taskset", ["-acp", String(core), String(pid)]).status === 0);
}
