import type { PendingQuery } from "./pipeline-connection.js";
import { isDatabaseUnavailable } from "./postgres-error.js";

/** The most runs that share a statement: more would hold up the first ones for the sake of the last. */
const MOST_RUNS = 32;

/** A row of a statement that many runs share. */
interface FoldedRow {
  readonly place: number;
}

/**
 * Makes one statement of runs of the same one that meet, as one statement for many costs little more than a statement for one.
 * When it fails, each runs by itself, so that none fails by another's fault; not so if the connection is lost, as the others
 * would be too.
 *
 * @param folded see `PreparedText`.
 * @param runAlone runs one by itself.
 */
export function foldQueries(
  folded: string,
  runs: readonly PendingQuery[],
  runAlone: (run: PendingQuery) => void,
): PendingQuery[] {
  const queries: PendingQuery[] = [];
  for (let start = 0; start < runs.length; start += MOST_RUNS) {
    const some = runs.slice(start, start + MOST_RUNS);
    queries.push(some.length === 1 ? (some[0] as PendingQuery) : foldAll(folded, some, runAlone));
  }
  return queries;
}

function foldAll(folded: string, runs: readonly PendingQuery[], runAlone: (run: PendingQuery) => void): PendingQuery {
  const parameters = (runs[0] as PendingQuery).parameters.map((_, index) =>
    arrayLiteral(runs.map((run) => run.parameters[index])),
  );
  return {
    sql: folded,
    parameters,
    resolve: ({ rows }) => {
      const rowsOf: unknown[][] = runs.map(() => []);
      for (const row of rows) rowsOf[(row as FoldedRow).place - 1]?.push(row);
      runs.forEach((run, index) => {
        run.resolve({ rows: rowsOf[index] as unknown[] });
      });
    },
    reject: (error) => {
      if (isDatabaseUnavailable(error)) for (const run of runs) run.reject(error);
      else runs.forEach(runAlone);
    },
    since: (runs[0] as PendingQuery).since,
  };
}

/**
 * An array in PostgreSQL's text form.
 *
 * See https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
 */
function arrayLiteral(values: readonly unknown[]): string {
  let text = "{";
  for (const value of values) {
    const separator = text.length === 1 ? "" : ",";
    text += separator + (value === null ? "NULL" : `"${String(value).replace(/["\\]/g, "\\$&")}"`);
  }
  return `${text}}`;
}
