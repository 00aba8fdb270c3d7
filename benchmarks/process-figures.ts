import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks per second in `/proc`. It is 100 on every Linux that Node.js supports. */
const TICKS_PER_SECOND = 100;

/** Returns the CPU time of a process so far, in seconds; NaN without `/proc`. */
export function readCpuSeconds(pid: number): number {
  return readStat(pid).seconds;
}

/**
 * Returns the CPU time, in seconds, that a process and its descendants have used so far, including descendants that have ended.
 *
 * @throws Error without `/proc`.
 */
export function readProcessTreeCpuSeconds(pid: number): number {
  const running = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const children = Map.groupBy(
    running.map((name) => readStat(Number(name))),
    ({ parent }) => parent,
  );
  const sumTree = (stat: ProcessStat): number =>
    (children.get(stat.pid) ?? []).reduce(
      (sum, child) => sum + sumTree(child),
      stat.seconds + stat.endedChildrenSeconds,
    );
  return sumTree(readStat(pid));
}

/** Returns the process id of a process's parent; NaN without `/proc`. */
export function readParentPid(pid: number): number {
  return readStat(pid).parent;
}

/** Returns the resident memory of a process, in bytes; NaN without `/proc`. */
export function readResidentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readProcess(pid, "status"))?.[1]) * 1024;
}

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** CPU time of the process. */
  readonly seconds: number;
  /** CPU time of its children that have ended. */
  readonly endedChildrenSeconds: number;
}

/** Reads the figures of a process. They are NaN if the process has ended. */
function readStat(pid: number): ProcessStat {
  const stat = readProcess(pid, "stat");
  // Counts fields after the program's name, which may contain spaces: proc_pid_stat(5), fields 4 and 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const sumTicks = (one: number, other: number) => (Number(fields[one]) + Number(fields[other])) / TICKS_PER_SECOND;
  return { pid, parent: Number(fields[1]), seconds: sumTicks(11, 12), endedChildrenSeconds: sumTicks(13, 14) };
}

function readProcess(pid: number, file: "stat" | "status"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
