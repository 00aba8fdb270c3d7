import { readFileSync } from "node:fs";
import type pg from "pg";

/** Runs a function while all processes of a PostgreSQL server on this machine are stopped, as if the disk or virtual machine had stalled. */
export async function runWhilePostgresIsStopped<T>(client: pg.Client, run: () => Promise<T>): Promise<T> {
  const { rows } = await client.query("select pg_backend_pid() as pid");
  const postmaster = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${rows[0].pid}/status`, "latin1"))?.[1]);
  const all = () => [postmaster, ...childrenOf(postmaster)];
  for (const pid of all()) process.kill(pid, "SIGSTOP");
  try {
    return await run();
  } finally {
    for (const pid of all()) process.kill(pid, "SIGCONT");
  }
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
  return text === "" ? [] : text.split(" ").map(Number);
}
