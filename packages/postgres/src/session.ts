import type pg from "pg";
import type { ConnectionSettings } from "./connection-settings.js";
import {
  ConnectionClosedError,
  DatabaseUnavailableError,
  getStatementOutcome,
  isReadOnlyError,
  isSessionUsableAfter,
  isUnusableStatementError,
  OutcomeUnknownError,
} from "./postgres-error.js";
import { RequestAbandonedError, type RequestDeadline } from "./request-deadline.js";

/** How long to wait for a response after a statement's timeout has passed. Then the connection counts as lost. */
const MAX_SILENCE_MS = 5000;

export interface SessionCallbacks {
  /**
   * Called when a statement fails for a reason that affects all open connections: the server is read-only, or a prepared statement is outdated.
   *
   * @param openedAt when the connection was opened, in milliseconds of `performance.now()`.
   */
  onOutdated(openedAt: number): void;
  /** Cancels the current statement of a server process; see `ConnectionPool.cancel`. */
  cancel(processId: number): Promise<void>;
}

/**
 * A connection that a pool lends for one statement or transaction.
 *
 * Cancels a statement at the deadline of its request. Closes the connection if the server does not respond. Behind PgBouncer, the server process
 * that runs a statement is unknown. Instead of canceling the statement, the session then closes the connection at the deadline or the timeout.
 */
export class Session {
  /** The id of the server process; undefined behind PgBouncer. */
  readonly processID: number | undefined;
  readonly #client: pg.PoolClient;
  readonly #settings: ConnectionSettings;
  readonly #events: SessionCallbacks;
  readonly #openedAt: number;
  #isUsable = true;

  constructor(
    client: pg.PoolClient,
    { processId, openedAt }: { readonly processId: number; readonly openedAt: number },
    settings: ConnectionSettings,
    events: SessionCallbacks,
  ) {
    this.#client = client;
    this.processID = settings.prepare ? processId : undefined;
    this.#openedAt = openedAt;
    this.#settings = settings;
    this.#events = events;
  }

  /**
   * @throws the error from `pg`; ConnectionClosedError; RequestAbandonedError if the client gave up before the statement was sent;
   *   OutcomeUnknownError for a commit whose outcome is unknown.
   */
  async query(text: string, values: readonly unknown[] = [], deadline?: RequestDeadline): Promise<pg.QueryResult> {
    if (deadline?.isAbandoned === true) throw new RequestAbandonedError();
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
    const close = (reason: Error) => {
      this.#isUsable = false;
      reject(reason);
    };
    let canceling: Promise<void> | undefined;
    const stopListening = deadline?.onAbandoned(() => {
      canceling = this.#cancel(close);
    });
    const timer = this.#watch(close);
    this.#client.query(this.#createQuery(text, values), (error, result) => (error ? reject(error) : resolve(result)));
    try {
      return await promise;
    } catch (error) {
      if (isReadOnlyError(error) || isUnusableStatementError(error)) this.#events.onOutdated(this.#openedAt);
      if (!isSessionUsableAfter(error)) this.#isUsable = false;
      throw text === "commit" && getStatementOutcome(error) === "unknown" ? new OutcomeUnknownError(error) : error;
    } finally {
      clearTimeout(timer);
      stopListening?.();
      // Waits for the cancel request, which could otherwise cancel the next statement on this connection.
      if (canceling !== undefined) await canceling;
    }
  }

  /** Rolls back the transaction, even after the deadline. On a lost connection, sends nothing, because the server rolls back by itself. */
  async rollback(): Promise<{ readonly command: string }> {
    return this.#isUsable ? this.query("rollback") : { command: "ROLLBACK" };
  }

  /** Returns the connection to its pool, which closes it if it is unusable. */
  release(): void {
    this.#client.release(!this.#isUsable);
  }

  /** Returns the query for `pg`. Names a statement with parameters, so that the server parses and plans it only once. */
  #createQuery(text: string, values: readonly unknown[]): pg.QueryConfig {
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
    // Behind PgBouncer, the server does not enforce the timeout, because `statement_timeout` is not set.
    if (!prepare) return setTimeout(() => close(new ConnectionClosedError()), statementTimeoutMs);
    const giveUp = () => close(new DatabaseUnavailableError("the database does not respond"));
    return setTimeout(giveUp, statementTimeoutMs + MAX_SILENCE_MS);
  }
}

/** The maximum number of named statements. Without a limit, generated SQL could fill the memory of the server. */
const MAX_NAMED_STATEMENTS = 500;

const names = new Map<string, string>();

/**
 * Returns the name of the prepared statement for an SQL text. The name is the same on every connection. Returns undefined for a new text once 500
 * texts have a name.
 */
function statementName(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined && names.size < MAX_NAMED_STATEMENTS) {
    name = `statement_${names.size + 1}`;
    names.set(text, name);
  }
  return name;
}
