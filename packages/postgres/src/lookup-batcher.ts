import type { CompiledStatement } from "./compiled-statement.js";
import type { PendingQuery } from "./pipeline-connection.js";
import { isCancelled, isDatabaseUnavailable } from "./postgres-error.js";

/** The maximum number of runs that share a statement. Larger batches would delay the first run. */
const MAX_RUNS = 32;

/** The maximum number of batches in flight: this process reads one result while the server runs the next batch. */
const MAX_IN_FLIGHT = 2;

/** A row of a batch, with the position of its run in `place`. */
interface BatchRow {
  readonly place: number;
}

/**
 * Batches concurrent runs of a lookup, because a statement for many runs costs little more than for one. If a batch fails, each
 * run is retried alone, so that only the runs at fault fail. All runs fail if the connection was lost or the statement was
 * cancelled, because they would fail again.
 */
export class LookupBatcher {
  readonly #statement: CompiledStatement;
  readonly #onAnswer: () => void;
  readonly #runAlone: (run: PendingQuery) => void;
  #runs: PendingQuery[] = [];
  #inFlight = 0;

  /**
   * @param statement the statement for a batch of runs.
   * @param onAnswer is called when `take` may return another statement.
   * @param runAlone runs a lookup without batching.
   */
  constructor(statement: CompiledStatement, onAnswer: () => void, runAlone: (run: PendingQuery) => void) {
    this.#statement = statement;
    this.#onAnswer = onAnswer;
    this.#runAlone = runAlone;
  }

  add(run: PendingQuery): void {
    this.#runs.push(run);
  }

  /** Returns the next statement, for one or several runs; undefined if none can be sent now. */
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
      statement: this.#statement,
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
 * Writes the values of one parameter of many runs as an array in PostgreSQL's text form.
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
