import { readdirSync, readFileSync } from "node:fs";

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

/** Returns the CPU time of a process and its running descendants, in seconds. */
export function processTreeCpuTime(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + cpuTime(each), 0);
}

/** Returns the id of a process and those of its running descendants. */
export function processTree(pid: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(Number(name))] as const);
  const treeOf = (each: number): number[] => [
    each,
    ...parents.filter(([, parent]) => parent === each).flatMap(([child]) => treeOf(child)),
  ];
  return treeOf(pid);
}

/** Returns NaN for a process that has exited. */
function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
  } catch {
    return Number.NaN;
  }
}

/** Returns the resident memory of a process, in bytes; NaN without `/proc`. */
export function residentMemory(pid: number): number {
  return memoryOf(pid, "VmRSS");
}

/** Returns the largest resident memory that a running process has had, in bytes; NaN without `/proc`. */
export function peakMemory(pid: number): number {
  return memoryOf(pid, "VmHWM");
}

function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}
