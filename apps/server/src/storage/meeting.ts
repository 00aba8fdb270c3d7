import type { PendingQuery } from "./pipeline-connection.js";
import { isCancelled, isDatabaseUnavailable } from "./postgres-error.js";

/** The most runs that share a statement: more would hold up the first ones for the sake of the last. */
const MOST_RUNS = 32;

/** The most such statements under way: one is read while the server is at the other. What comes meanwhile meets in the next. */
const MOST_UNDER_WAY = 2;

/** A row of a statement that many runs share. */
interface FoldedRow {
  readonly place: number;
}

/**
 * Where runs of a look-up meet: a statement for many costs little more than a statement for one. When it fails, each runs by
 * itself, so that none fails by another's fault; not so if the connection is lost or it took too long, as the others would be
 * and would take too.
 */
export class Meeting {
  readonly #folded: string;
  readonly #onAnswer: () => void;
  readonly #runAlone: (run: PendingQuery) => void;
  #runs: PendingQuery[] = [];
  #underWay = 0;

  /**
   * @param folded see `PreparedText`.
   * @param onAnswer is called when there may be more to `take`.
   * @param runAlone runs one by itself.
   */
  constructor(folded: string, onAnswer: () => void, runAlone: (run: PendingQuery) => void) {
    this.#folded = folded;
    this.#onAnswer = onAnswer;
    this.#runAlone = runAlone;
  }

  add(run: PendingQuery): void {
    this.#runs.push(run);
  }

  /** The next statement for runs that met, or of the one that met no other; undefined if there is none for now. */
  take(): PendingQuery | undefined {
    if (this.#runs.length === 0 || this.#underWay === MOST_UNDER_WAY) return undefined;
    this.#underWay++;
    const runs = this.#runs.length <= MOST_RUNS ? this.#runs : this.#runs.slice(0, MOST_RUNS);
    this.#runs = this.#runs.slice(runs.length);
    return runs.length === 1 ? this.#alone(runs[0] as PendingQuery) : this.#together(runs);
  }

  #alone(run: PendingQuery): PendingQuery {
    return {
      ...run,
      resolve: (result) => {
        this.#onEnd();
        run.resolve(result);
      },
      reject: (error) => {
        this.#onEnd();
        run.reject(error);
      },
    };
  }

  #together(runs: readonly PendingQuery[]): PendingQuery {
    const { parameters, since } = runs[0] as PendingQuery;
    return {
      sql: this.#folded,
      writes: false,
      call: undefined,
      attempts: 0,
      parameters: parameters.map((_, index) => arrayLiteral(runs, index)),
      since,
      resolve: ({ rows }) => {
        this.#onEnd();
        const rowsOf: unknown[][] = runs.map(() => []);
        for (const row of rows) rowsOf[(row as FoldedRow).place - 1]?.push(row);
        for (let index = 0; index < runs.length; index++) runs[index]?.resolve({ rows: rowsOf[index] as unknown[] });
      },
      reject: (error) => {
        this.#onEnd();
        if (isDatabaseUnavailable(error) || isCancelled(error)) for (const run of runs) run.reject(error);
        else runs.forEach(this.#runAlone);
      },
    };
  }

  #onEnd(): void {
    this.#underWay--;
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
  for (const { parameters } of runs) {
    const value = parameters[index];
    const separator = text.length === 1 ? "" : ",";
    text += separator + (value === null ? "NULL" : `"${String(value).replace(/["\\]/g, "\\$&")}"`);
  }
  return `${text}}`;
}
