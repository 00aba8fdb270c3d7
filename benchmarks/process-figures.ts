import { readFileSync } from "node:fs";

/** Clock ticks per second in `/proc`; 100 on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

/** Returns the CPU time of a process so far, in seconds; NaN without `/proc`. */
export function cpuTime(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Fields are counted after the program's name, which may contain spaces: proc_pid_stat(5), fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return Number.NaN;
  }
}

/** Returns the resident memory of a process, in bytes; NaN without `/proc`. */
export function residentMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}
