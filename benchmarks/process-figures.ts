import { readFileSync } from "node:fs";

/** Clock ticks per second in `/proc`. It is 100 on every Linux that Node.js supports. */
const TICKS_PER_SECOND = 100;

/** Returns the CPU time of a process so far, in seconds; NaN without `/proc`. */
export function readCpuSeconds(pid: number): number {
  const stat = readProcess(pid, "stat");
  // Counts fields after the program's name, which may contain spaces: proc_pid_stat(5), fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Returns the resident memory of a process, in bytes; NaN without `/proc`. */
export function readResidentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readProcess(pid, "status"))?.[1]) * 1024;
}

function readProcess(pid: number, file: "stat" | "status"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
