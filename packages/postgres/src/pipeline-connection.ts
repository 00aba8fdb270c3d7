import pg from "pg";
import { createMessageReader } from "./backend-messages.js";
import type { CallDeadline } from "./call-deadline.js";
import { sendCancelRequest } from "./cancel-request.js";
import type { CompiledStatement } from "./compiled-statement.js";
import { connectClient } from "./connect-client.js";
import { type ConnectionSettings, clientConfig, MAX_SILENCE_MS } from "./connection-settings.js";
import { readDatabaseError } from "./database-error.js";
import { socketOf, takeOverSocket, toWireValue, type WireValue } from "./driver-internals.js";
import { FrontendMessages } from "./frontend-messages.js";
import { DatabaseUnavailableError, isStatementUnusable } from "./postgres-error.js";
import { ALL_TEXT_FORMATS, type Columns, readColumns } from "./row-reader.js";
import { statementName } from "./statement-name.js";

/** A statement that waits for its result. */
export interface PendingQuery {
  readonly statement: CompiledStatement;
  readonly values: readonly unknown[];
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: unknown) => void;
  /** The time of the request, in milliseconds of `performance.now()`. */
  readonly since: number;
  readonly deadline: CallDeadline | undefined;
  attempts: number;
}

/** Listener of a connection. */
export interface ConnectionListener {
  /** Called after every statement, successful or not. */
  onAnswer(pending: PendingQuery): void;
  /** Called with a failed statement. `isLost` is true if the connection ended before the server reported the outcome. */
  onFailure(pending: PendingQuery, error: unknown, isLost: boolean): void;
  /** Called when the connection becomes unusable, with the reason unless a statement fails with it. */
  onUnusable(connection: PipelineConnection, error?: Error): void;
}

/** Codes of the messages in the server's response to a statement. */
const PARSE_COMPLETE = 0x31;
const ROW_DESCRIPTION = 0x54;
const DATA_ROW = 0x44;
const ERROR_RESPONSE = 0x45;
const READY_FOR_QUERY = 0x5a;

/** A statement in flight, with the received part of its result. */
interface Run {
  readonly pending: PendingQuery;
  /** The name of the server-side statement; empty if it has none. */
  readonly name: string;
  /** Reads its rows. If it did not request the formats of its columns, all values are text. */
  read: Columns["read"] | undefined;
  readonly rows: unknown[];
  error: pg.DatabaseError | undefined;
}

/**
 * A connection that sends statements without waiting for earlier results. The server runs them in order, each in its own
 * transaction. If the connection is lost, the statements in flight are rejected, because it is unknown which of them ran.
 *
 * `pg` opens and closes the connection. Its query path costs more than the rest of a request, so this class reads and writes the
 * messages of the extended query protocol itself.
 */
export class PipelineConnection {
  readonly #client: pg.Client;
  readonly #settings: ConnectionSettings;
  readonly #listener: ConnectionListener;
  readonly #messages = new FrontendMessages();
  /** The statements in flight, in sending order. */
  readonly #runs: Run[] = [];
  /** The names of the statements that the server is parsing. */
  readonly #parsing = new Set<string>();
  /** The names of parsed statements, with their result columns once known. */
  readonly #parsed = new Map<string, Columns | undefined>();
  /** The error with which the server ended the connection; undefined if it sent none. */
  #endReason: pg.DatabaseError | undefined;
  #isUsable = true;
  /** The first statement in flight at the last call of `watch`; `#watchedSince` is the time since it has been the first. */
  #watched: Run | undefined;
  #watchedSince = 0;

  private constructor(client: pg.Client, settings: ConnectionSettings, listener: ConnectionListener) {
    this.#client = client;
    this.#settings = settings;
    this.#listener = listener;
  }

  /**
   * Connects to the server.
   *
   * @throws the error of `pg` if the server is not reached in time or rejects the client; DatabaseUnavailableError if it is
   * read-only and the settings require a primary.
   */
  static async open(settings: ConnectionSettings, listener: ConnectionListener): Promise<PipelineConnection> {
    const client = new pg.Client(clientConfig(settings));
    const connection = new PipelineConnection(client, settings, listener);
    // Added before connecting, because an error event without a listener would end the process.
    client.on("error", (error) => connection.#onLost(error));
    await connectClient(client, settings.needsPrimary);
    client.on("end", () => connection.#onLost(new DatabaseUnavailableError("the database connection was closed")));
    takeOverSocket(client, createMessageReader(connection.#onMessage));
    return connection;
  }

  /** Whether it accepts statements. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  get inFlight(): number {
    return this.#runs.length;
  }

  /** Queues a statement, which the next `flush` sends. */
  send(pending: PendingQuery): void {
    const { sql } = pending.statement;
    let values: readonly WireValue[];
    try {
      values = pending.values.map(toWireValue);
    } catch (error) {
      pending.reject(error);
      return;
    }
    const name = this.#settings.prepare ? this.#nameFor(sql) : "";
    const columns = this.#parsed.get(name);
    if (!this.#parsed.has(name)) this.#messages.parse(name, sql);
    this.#messages.bind(name, values, columns?.formats ?? ALL_TEXT_FORMATS);
    if (columns === undefined) this.#messages.describe();
    this.#messages.executeAndSync();
    this.#runs.push({ pending, name, read: columns?.read, rows: [], error: undefined });
  }

  /** Sends the queued statements in one write. */
  flush(): void {
    if (!this.#messages.isEmpty) socketOf(this.#client).write(this.#messages.take());
  }

  /** Closes the connection. Call it when no statement is in flight. */
  close(): Promise<void> {
    this.#isUsable = false;
    return this.#client.end();
  }

  /** Cancels a statement if the server is running it, and retires the connection. */
  cancel(pending: PendingQuery): void {
    if (this.#runs[0]?.pending !== pending) return;
    void sendCancelRequest(this.#client);
    this.retire();
  }

  /**
   * Cancels a statement that runs longer than its timeout, in case the server does not know the timeout. Destroys the connection if
   * the server stays silent. Call it at intervals.
   */
  watch(): void {
    const [run] = this.#runs;
    const now = performance.now();
    if (run !== this.#watched) [this.#watched, this.#watchedSince] = [run, now];
    if (run === undefined) return;
    const late = now - this.#watchedSince - this.#settings.statementTimeoutMs;
    if (late > MAX_SILENCE_MS)
      socketOf(this.#client).destroy(new DatabaseUnavailableError("the database does not respond"));
    else if (late > 0) this.cancel(run.pending);
  }

  /** Rejects new statements, and closes the connection after those in flight. */
  retire(): void {
    if (!this.#isUsable) return;
    this.#setUnusable();
    if (this.#runs.length === 0) void this.#client.end();
  }

  #setUnusable(error?: Error): void {
    if (!this.#isUsable) return;
    this.#isUsable = false;
    this.#listener.onUnusable(this, error);
  }

  /**
   * Empty while the server parses the first statement of this name, because later ones must not depend on a parse that can fail.
   */
  #nameFor(text: string): string {
    const name = statementName(text);
    if (name === undefined || this.#parsing.has(name)) return "";
    if (!this.#parsed.has(name)) this.#parsing.add(name);
    return name;
  }

  readonly #onMessage = (type: number, bytes: Buffer, start: number, end: number): void => {
    const run = this.#runs[0];
    if (run === undefined) {
      if (type === ERROR_RESPONSE) this.#endReason = readDatabaseError(bytes, start, end);
      return;
    }
    switch (type) {
      case DATA_ROW:
        run.rows.push((run.read as Columns["read"])(bytes, start));
        break;
      case PARSE_COMPLETE:
        if (run.name !== "") this.#parsed.set(run.name, undefined);
        break;
      case ROW_DESCRIPTION: {
        const columns = readColumns(bytes, start);
        run.read = columns.readText;
        if (run.name !== "") this.#parsed.set(run.name, columns);
        break;
      }
      case ERROR_RESPONSE:
        run.error = readDatabaseError(bytes, start, end);
        break;
      case READY_FOR_QUERY:
        this.#runs.shift();
        this.#finish(run);
        break;
    }
  };

  #finish({ pending, name, rows, error }: Run): void {
    this.#parsing.delete(name);
    if (name !== "" && isStatementUnusable(error)) this.retire();
    if (error !== undefined) this.#listener.onFailure(pending, error, false);
    else pending.resolve(rows);
    if (!this.#isUsable && this.#runs.length === 0) void this.#client.end();
    this.#listener.onAnswer(pending);
  }

  /** Rejects the statements in flight. The first one may have its own error. */
  #onLost(error: Error): void {
    const runs = this.#runs.splice(0);
    this.#setUnusable(runs.length === 0 ? (this.#endReason ?? error) : undefined);
    for (const run of runs) {
      this.#listener.onFailure(run.pending, run.error ?? error, true);
      this.#listener.onAnswer(run.pending);
    }
  }
}
