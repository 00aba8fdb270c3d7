import { spawnSync } from "node:child_process";
import { cpus } from "node:os";

/**
 * Pins processes and their future children to one core, so that processes on the other core keep their CPU time.
 *
 * @returns whether it succeeded: it needs two cores, and `taskset` of util-linux.
 */
export function pinToCore(core: number, pids: readonly number[]): boolean {
  // Not `availableParallelism`, which counts only the cores that this process is pinned to.
  if (cpus().length < 2) return false;
  return pids.every((pid) => spawnSync("taskset", ["-acp", String(core), String(pid)]).status === 0);
}
