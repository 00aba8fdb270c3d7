import type { PendingQuery } from "./pipeline-connection.js";
import { isCancelled, isDatabaseUnavailable } from "./postgres-error.js";

/** The limit of runs that share a statement: more would delay the first for the last. */
const MAX_RUNS = 32;

/** The limit of such statements in flight: this process reads one while the server runs the other. */
const MAX_IN_FLIGHT = 2;

/** A row of a statement that many runs share. */
interface BatchRow {
  readonly place: number;
}

/**
 * Lets concurrent runs of a lookup share statements: one for many costs little more than one for one. After a shared statement
 * fails, each run is retried by itself, so that only the runs at fault fail; all fail if the connection was lost or the statement
 * was cancelled, as they would again.
 */
export class LookupBatcher {
  readonly #batchSql: string;
  readonly #onAnswer: () => void;
  readonly #runAlone: (run: PendingQuery) => void;
  #runs: PendingQuery[] = [];
  #inFlight = 0;

  /**
   * @param batchSql see `StatementText`.
   * @param onAnswer is called when there may be more to `take`.
   * @param runAlone runs one by itself.
   */
  constructor(batchSql: string, onAnswer: () => void, runAlone: (run: PendingQuery) => void) {
    this.#batchSql = batchSql;
    this.#onAnswer = onAnswer;
    this.#runAlone = runAlone;
  }

  add(run: PendingQuery): void {
    this.#runs.push(run);
  }

  /** The next statement, for one run or several; undefined if none may be sent now. */
  take(): PendingQuery | undefined {
    if (this.#runs.length === 0 || this.#inFlight === MAX_IN_FLIGHT) return undefined;
    this.#inFlight++;
    const runs = this.#runs.length <= MAX_RUNS ? this.#runs : this.#runs.slice(0, MAX_RUNS);
    this.#runs = this.#runs.slice(runs.length);
    return runs.length === 1 ? this.#single(runs[0] as PendingQuery) : this.#batch(runs);
  }

  #single(run: PendingQuery): PendingQuery {
    return {
      ...run,
      resolve: (rows) => {
        this.#onEnd();
        run.resolve(rows);
      },
      reject: (error) => {
        this.#onEnd();
        run.reject(error);
      },
    };
  }

  #batch(runs: readonly PendingQuery[]): PendingQuery {
    const { values, since } = runs[0] as PendingQuery;
    return {
      sql: this.#batchSql,
      writes: false,
      deadline: undefined,
      attempts: 0,
      values: values.map((_, index) => arrayLiteral(runs, index)),
      since,
      resolve: (rows) => {
        this.#onEnd();
        const rowsOf: unknown[][] = runs.map(() => []);
        for (const row of rows) rowsOf[(row as BatchRow).place - 1]?.push(row);
        for (let index = 0; index < runs.length; index++) runs[index]?.resolve(rowsOf[index] as unknown[]);
      },
      reject: (error) => {
        this.#onEnd();
        if (isDatabaseUnavailable(error) || isCancelled(error)) for (const run of runs) run.reject(error);
        else runs.forEach(this.#runAlone);
      },
    };
  }

  #onEnd(): void {
    this.#inFlight--;
    if (this.#runs.length > 0) this.#onAnswer();
  }
}

/**
 * One parameter of many runs as an array in PostgreSQL's text form.
 *
 * See https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
 */
function arrayLiteral(runs: readonly PendingQuery[], index: number): string {
  let text = "{";
  for (const { values } of runs) {
    const value = values[index];
    const separator = text.length === 1 ? "" : ",";
    text += separator + (value === null ? "NULL" : `"${String(value).replace(/["\\]/g, "\\$&")}"`);
  }
  return `${text}}`;
}
