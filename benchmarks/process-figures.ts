import { readdirSync, readFileSync } from "node:fs";

/** The unit of the times in `/proc`: every Linux that Node runs on says 100 a second. */
const TICKS_PER_SECOND = 100;

/** The processor time, in seconds, that a process has used so far; NaN where there is no `/proc` to read it from. */
export function processTime(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The fields are counted from behind the program's name, which may hold spaces: proc_pid_stat(5), fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return Number.NaN;
  }
}

/** The processor time, in seconds, of a process and of all that it has started and that still run. */
export function familyTime(pid: number): number {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(Number(name))] as const);
  const timeOf = (each: number): number =>
    parents.reduce((sum, [child, parent]) => (parent === each ? sum + timeOf(child) : sum), processTime(each));
  return timeOf(pid);
}

/** NaN for a process that has ended. */
function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
  } catch {
    return Number.NaN;
  }
}

/** The memory, in bytes, that a process has at the moment; NaN where there is no `/proc` to read it from. */
export function residentMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}
