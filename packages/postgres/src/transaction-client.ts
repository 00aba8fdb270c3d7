import pg from "pg";
import { currentCall } from "./call-context.js";
import { CallAbandonedError } from "./call-deadline.js";
import { sendCancelRequest } from "./cancel-request.js";
import { connectClient } from "./connect-client.js";
import { type ConnectionSettings, clientConfig, MAX_SILENCE_MS } from "./connection-settings.js";
import { socketOf } from "./driver-internals.js";
import {
  DatabaseUnavailableError,
  isDatabaseUnavailable,
  isReadOnly,
  isStatementUnusable,
  OutcomeUnknownError,
} from "./postgres-error.js";
import { statementName } from "./statement-name.js";

/**
 * A `pg` connection for one transaction at a time. Cancels a statement at the caller's deadline or at its timeout, so that the
 * transaction is rolled back. Destroys the connection if the server stays silent.
 *
 * Throws OutcomeUnknownError if the connection is lost during a commit. The server rolls back transactions lost earlier.
 */
export class TransactionClient extends pg.Client {
  /** In milliseconds of `performance.now()`. */
  readonly createdAt = performance.now();
  /** Whether it must be replaced, because one of its prepared statements would always fail. */
  isStale = false;
  readonly #settings: ConnectionSettings;
  readonly #onReadOnly: () => void;
  /** The error of the last statement if that was a commit whose outcome is unknown. */
  #commitError: OutcomeUnknownError | undefined;

  constructor(settings: ConnectionSettings, onReadOnly: () => void) {
    super(clientConfig(settings));
    this.#settings = settings;
    this.#onReadOnly = onReadOnly;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's connect() have no common type
  override connect(callback?: any): any {
    const connected = connectClient(this, this.#settings.needsPrimary, () => super.connect());
    if (callback === undefined) return connected;
    connected.then(() => callback(null), callback);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's query() have no common type
  override query(...args: any[]): any {
    return this.#run(args[0], () => super.query(...this.#named(args)));
  }

  /** Names a statement with parameters, so that the server parses and plans it once. Kysely does not name statements. */
  #named(args: readonly unknown[]): [never] {
    const [text, values, ...rest] = args;
    const hasName = this.#settings.prepare && typeof text === "string" && Array.isArray(values) && values.length > 0;
    const name = hasName ? statementName(text) : undefined;
    return (name === undefined ? args : [{ name, text, values }, ...rest]) as [never];
  }

  async #run(text: unknown, query: () => Promise<unknown>): Promise<unknown> {
    const isRollback = text === "rollback";
    // A rollback must also run after the deadline, because it ends the abandoned transaction.
    const deadline = isRollback ? undefined : currentCall()?.deadline;
    if (deadline?.isAbandoned === true) throw new CallAbandonedError();
    if (!isRollback) this.#commitError = undefined;
    let isRunning = true;
    let cancelling: Promise<void> | undefined;
    const cancel = () => {
      if (isRunning) cancelling ??= sendCancelRequest(this);
    };
    deadline?.onAbandoned(cancel);
    const stopWatching = this.#watch(cancel);
    try {
      return await query();
    } catch (error) {
      if (isReadOnly(error)) this.#onReadOnly();
      if (isStatementUnusable(error)) this.isStale = true;
      if (text === "commit" && isDatabaseUnavailable(error)) this.#commitError = new OutcomeUnknownError(error);
      // Kysely rolls back after a failed commit. If that fails too, the caller still gets the error of the commit.
      throw this.#commitError ?? error;
    } finally {
      isRunning = false;
      stopWatching();
      // A late cancel request could cancel the next statement.
      await cancelling;
    }
  }

  /** See `PipelineConnection.watch`. */
  #watch(cancel: () => void): () => void {
    const { statementTimeoutMs } = this.#settings;
    if (statementTimeoutMs === 0) return () => {};
    const giveUp = () => socketOf(this).destroy(new DatabaseUnavailableError("the database does not respond"));
    const timers = [
      setTimeout(cancel, statementTimeoutMs + MAX_SILENCE_MS / 5),
      setTimeout(giveUp, statementTimeoutMs + MAX_SILENCE_MS),
    ];
    return () => timers.forEach(clearTimeout);
  }
}
