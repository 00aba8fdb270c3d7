import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks per second in `/proc`; 100 on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

/** Returns the CPU time, in seconds, that a process and its children have used so far, including children that have ended. */
export function readProcessTreeCpuSeconds(pid: number): number {
  const children = new Map<number, Stat[]>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (stat !== undefined) children.set(stat.parent, [...(children.get(stat.parent) ?? []), stat]);
  }
  const total = (stat: Stat): number =>
    stat.seconds + (children.get(stat.pid) ?? []).reduce((sum, child) => sum + total(child), 0);
  const root = readStat(pid);
  if (root === undefined) throw new Error(`process ${pid} has ended`);
  return total(root);
}

/** Returns the process id of a process's parent. */
export function readParentPid(pid: number): number {
  const stat = readStat(pid);
  if (stat === undefined) throw new Error(`process ${pid} has ended`);
  return stat.parent;
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  /** CPU time of the process, and of its children that have ended. */
  readonly seconds: number;
}

/** Reads the figures of a process. Returns undefined if the process has ended. */
function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Fields are counted after the program's name, which may contain spaces: proc_pid_stat(5), fields 4 and 14 to 17.
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + (fields[index] as number), 0);
    return { pid, parent: fields[1] as number, seconds: ticks / TICKS_PER_SECOND };
  } catch {
    return undefined;
  }
}
