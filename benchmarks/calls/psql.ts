import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram } from "../program.ts";

/** Runs statements one after another in one psql session. Returns the milliseconds that psql reports for each statement. */
export type RunPsql = (statements: readonly string[]) => Promise<readonly number[]>;

/**
 * Returns a function that runs SQL statements in psql.
 *
 * @throws Error if psql is not installed.
 */
export function findPsql(resources: AsyncDisposableStack, databaseUrl: string): RunPsql {
  const program = findProgram("psql");
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
