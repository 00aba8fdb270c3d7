import pg from "pg";
import { sendCancelRequest } from "./cancel-request.js";
import { type ConnectionSettings, MOST_SILENCE_MS } from "./pipeline-connection.js";
import { DatabaseUnavailableError, isReadOnly, isStatementUnusable } from "./postgres-error.js";
import { connectTo } from "./primary-check.js";
import { statementName } from "./statement-name.js";
import { CallAbandonedError, currentCall, type WaitedCall } from "./waited-call.js";

type Query = () => Promise<unknown>;

/**
 * A connection of `pg` for one user at a time. A statement is cancelled when the call gives up that it is for, or when it takes too
 * long, so that its transaction is rolled back; and the connection is given up when the server does not answer.
 */
export class OwnClient extends pg.Client {
  readonly #settings: ConnectionSettings;
  readonly #onReadOnly: () => void;
  #isStale = false;

  constructor(settings: ConnectionSettings, onReadOnly: () => void) {
    super({
      connectionString: settings.url,
      connectionTimeoutMillis: settings.connectTimeoutMs,
      keepAlive: true,
      ...(settings.options !== undefined && { options: settings.options }),
    });
    this.#settings = settings;
    this.#onReadOnly = onReadOnly;
  }

  /** Whether it has a statement that fails for ever, so that it is to be replaced. */
  get isStale(): boolean {
    return this.#isStale;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's connect() have no common type
  override connect(callback?: any): any {
    const connected = connectTo(this, this.#settings.needsPrimary, () => super.connect());
    if (callback === undefined) return connected;
    connected.then(() => callback(null), callback);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's query() have no common type
  override query(...args: any[]): any {
    const [text] = args;
    // Nothing else ends a transaction that was given up.
    const call = text === "rollback" ? undefined : currentCall();
    return this.#runWithin(call, () => super.query(...this.#named(args)));
  }

  /**
   * Names every statement that has parameters by its text, so that the server parses and plans it once a connection. Kysely
   * sends no names.
   */
  #named(args: readonly unknown[]): [never] {
    const [text, values, ...rest] = args;
    const hasName = this.#settings.prepare && typeof text === "string" && Array.isArray(values) && values.length > 0;
    const name = hasName ? statementName(text) : undefined;
    return (name === undefined ? args : [{ name, text, values }, ...rest]) as [never];
  }

  async #runWithin(call: WaitedCall | undefined, query: Query): Promise<unknown> {
    if (call?.isAbandoned === true) throw new CallAbandonedError();
    let isRunning = true;
    let cancelling: Promise<void> | undefined;
    const cancel = () => {
      if (isRunning) cancelling ??= sendCancelRequest(this);
    };
    call?.onAbandoned(cancel);
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
      // Else it might meet the next statement.
      await cancelling;
    }
  }

  /** See `PipelineConnection.watch`. */
  #watch(cancel: () => void): () => void {
    const { statementTimeoutMs } = this.#settings;
    if (statementTimeoutMs === 0) return () => {};
    const { stream } = (this as unknown as { readonly connection: pg.Connection }).connection;
    const giveUp = () => stream.destroy(new DatabaseUnavailableError("the database does not answer"));
    const timers = [
      setTimeout(cancel, statementTimeoutMs + MOST_SILENCE_MS / 5),
      setTimeout(giveUp, statementTimeoutMs + MOST_SILENCE_MS),
    ];
    return () => timers.forEach(clearTimeout);
  }
}
