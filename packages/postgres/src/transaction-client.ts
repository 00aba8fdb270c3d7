import pg from "pg";
import { currentCall } from "./call-context.js";
import { CallAbandonedError, type CallDeadline } from "./call-deadline.js";
import { sendCancelRequest } from "./cancel-request.js";
import { connectClient } from "./connect-client.js";
import { type ConnectionSettings, clientConfig, MAX_SILENCE_MS } from "./connection-settings.js";
import { socketOf } from "./driver-internals.js";
import { DatabaseUnavailableError, isReadOnly, isStatementUnusable } from "./postgres-error.js";
import { statementName } from "./statement-name.js";

type Query = () => Promise<unknown>;

/**
 * A `pg` connection for one transaction at a time. Cancels a statement at the caller's deadline or at its timeout, so that the
 * transaction is rolled back. Destroys the connection if the server stays silent.
 */
export class TransactionClient extends pg.Client {
  readonly #settings: ConnectionSettings;
  readonly #onReadOnly: () => void;
  #isStale = false;

  constructor(settings: ConnectionSettings, onReadOnly: () => void) {
    super(clientConfig(settings));
    this.#settings = settings;
    this.#onReadOnly = onReadOnly;
  }

  /** Whether it must be replaced, because one of its prepared statements would always fail. */
  get isStale(): boolean {
    return this.#isStale;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's connect() have no common type
  override connect(callback?: any): any {
    const connected = connectClient(this, this.#settings.needsPrimary, () => super.connect());
    if (callback === undefined) return connected;
    connected.then(() => callback(null), callback);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's query() have no common type
  override query(...args: any[]): any {
    const [text] = args;
    // A rollback must also run after the deadline, because it ends the abandoned transaction.
    const deadline = text === "rollback" ? undefined : currentCall()?.deadline;
    return this.#runWithin(deadline, () => super.query(...this.#named(args)));
  }

  /** Names a statement with parameters, so that the server parses and plans it once. Kysely does not name statements. */
  #named(args: readonly unknown[]): [never] {
    const [text, values, ...rest] = args;
    const hasName = this.#settings.prepare && typeof text === "string" && Array.isArray(values) && values.length > 0;
    const name = hasName ? statementName(text) : undefined;
    return (name === undefined ? args : [{ name, text, values }, ...rest]) as [never];
  }

  async #runWithin(deadline: CallDeadline | undefined, query: Query): Promise<unknown> {
    if (deadline?.isAbandoned === true) throw new CallAbandonedError();
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
      if (isStatementUnusable(error)) this.#isStale = true;
      throw error;
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
