import type pg from "pg";
import type { ConnectionSettings } from "./connection-settings.js";
import {
  ConnectionClosedError,
  DatabaseUnavailableError,
  isReadOnly,
  isSessionUsable,
  isStatementUnusable,
  OutcomeUnknownError,
  outcomeOf,
} from "./postgres-error.js";
import { RequestAbandonedError, type RequestDeadline } from "./request-deadline.js";

/** Time after the timeout of a statement until the connection of a silent server counts as lost. */
const MAX_SILENCE_MS = 5000;

/** Callbacks of a session. */
export interface SessionEvents {
  /**
   * Called when a statement fails as it would on other open connections: the server is read-only, or the statement's plan is outdated.
   *
   * @param openedAt when the connection was opened, in milliseconds of `performance.now()`.
   */
  onOutdated(openedAt: number): void;
  /** Cancels the statement of a connection; see `ConnectionPool.cancel`. */
  cancel(processId: number): Promise<void>;
}

/**
 * A connection that a pool lends for one statement or transaction.
 *
 * Cancels a statement at the deadline of its request. Closes the connection if the server stays silent. Behind PgBouncer, where it is unknown
 * which server runs the statement, it closes the connection at the deadline and at the timeout.
 */
export class Session {
  /** The process of the server; undefined behind PgBouncer. */
  readonly processID: number | undefined;
  readonly #client: pg.PoolClient;
  readonly #settings: ConnectionSettings;
  readonly #events: SessionEvents;
  readonly #openedAt: number;
  #isUsable = true;

  constructor(
    client: pg.PoolClient,
    { processId, openedAt }: { readonly processId: number; readonly openedAt: number },
    settings: ConnectionSettings,
    events: SessionEvents,
  ) {
    this.#client = client;
    this.processID = settings.prepare ? processId : undefined;
    this.#openedAt = openedAt;
    this.#settings = settings;
    this.#events = events;
  }

  /**
   * Runs a statement.
   *
   * @throws the error of `pg`; ConnectionClosedError; RequestAbandonedError if the deadline has passed; OutcomeUnknownError for a commit whose
   * outcome is unknown.
   */
  async query(text: string, values: readonly unknown[] = [], deadline?: RequestDeadline): Promise<pg.QueryResult> {
    if (deadline?.isAbandoned === true) throw new RequestAbandonedError();
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
    const close = (reason: Error) => {
      this.#isUsable = false;
      reject(reason);
    };
    let cancelling: Promise<void> | undefined;
    const stopListening = deadline?.onAbandoned(() => {
      cancelling = this.#cancel(close);
    });
    const timer = this.#watch(close);
    this.#client.query(this.#configOf(text, values), (error, result) => (error ? reject(error) : resolve(result)));
    try {
      return await promise;
    } catch (error) {
      if (isReadOnly(error) || isStatementUnusable(error)) this.#events.onOutdated(this.#openedAt);
      if (!isSessionUsable(error)) this.#isUsable = false;
      throw text === "commit" && outcomeOf(error) === "unknown" ? new OutcomeUnknownError(error) : error;
    } finally {
      clearTimeout(timer);
      stopListening?.();
      // A late request could cancel the next statement.
      if (cancelling !== undefined) await cancelling;
    }
  }

  /** Rolls back the transaction, also after the deadline. The server does it itself if the connection is lost. */
  async rollback(): Promise<{ readonly command: string }> {
    return this.#isUsable ? this.query("rollback") : { command: "ROLLBACK" };
  }

  /** Returns the connection to its pool, which closes it if it is unusable. */
  release(): void {
    this.#client.release(!this.#isUsable);
  }

  /** Names a statement with parameters, so that the server parses and plans it once. */
  #configOf(text: string, values: readonly unknown[]): pg.QueryConfig {
    const name = this.#settings.prepare && values.length > 0 ? statementName(text) : undefined;
    return { text, values: values as unknown[], ...(name !== undefined && { name }) };
  }

  async #cancel(close: (reason: Error) => void): Promise<void> {
    if (this.processID === undefined) return close(new ConnectionClosedError());
    try {
      await this.#events.cancel(this.processID);
    } catch {
      close(new ConnectionClosedError());
    }
  }

  #watch(close: (reason: Error) => void): NodeJS.Timeout | undefined {
    const { prepare, statementTimeoutMs } = this.#settings;
    if (statementTimeoutMs === 0) return undefined;
    // Behind PgBouncer, the server does not know the timeout.
    if (!prepare) return setTimeout(() => close(new ConnectionClosedError()), statementTimeoutMs);
    const giveUp = () => close(new DatabaseUnavailableError("the database does not respond"));
    return setTimeout(giveUp, statementTimeoutMs + MAX_SILENCE_MS);
  }
}

/** The maximum number of named statements, so that generated SQL cannot fill the memory of the server. */
const MAX_NAMED_STATEMENTS = 500;

const names = new Map<string, string>();

/** Returns the name of the prepared statement for an SQL text, the same on every connection. Undefined beyond the limit. */
function statementName(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined && names.size < MAX_NAMED_STATEMENTS) {
    name = `statement_${names.size + 1}`;
    names.set(text, name);
  }
  return name;
}
