import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findPostgresProgram } from "../postgres-program.ts";

/** Runs statements in one session of psql, in turn, and returns the milliseconds that psql reports for each. */
export type Psql = (statements: readonly string[]) => Promise<readonly number[]>;

/**
 * Finds psql: by the variable `PSQL`, or where packages of PostgreSQL install it.
 *
 * @throws Error if it is not installed.
 */
export function findPsql(resources: AsyncDisposableStack, databaseUrl: string): Psql {
  const program = findPostgresProgram("psql");
  if (program === undefined)
    throw new Error("psql is not installed: install a client of PostgreSQL, or set PSQL to its path");
  const interruption = new AbortController();
  resources.defer(() => interruption.abort());
  const { signal } = interruption;
  return async (statements) => {
    const script = ["\\set ON_ERROR_STOP on", "\\o /dev/null", "\\timing on", ...statements.map((each) => `${each};`)];
    const running = promisify(execFile)(program, ["--no-psqlrc", "--quiet", databaseUrl], { signal });
    running.child.stdin?.end(`${script.join("\n")}\n`);
    const { stdout } = await running;
    return [...stdout.matchAll(/^Time: ([\d.]+) ms/gm)].map(([, milliseconds]) => Number(milliseconds));
  };
}
