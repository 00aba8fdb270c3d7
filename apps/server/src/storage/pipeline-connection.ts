import type { QueryResult } from "kysely";
import pg from "pg";
import { sendCancelRequest } from "./cancel-request.js";
import { readDatabaseError } from "./database-error.js";
import { createMessageReader } from "./message-reader.js";
import { MessageWriter, type WireValue, wireValue } from "./message-writer.js";
import { DatabaseUnavailableError, isStatementUnusable } from "./postgres-error.js";
import { connectTo } from "./primary-check.js";
import { ALL_TEXT, type Columns, readColumns, readRow } from "./row-reader.js";
import { statementName } from "./statement-name.js";
import type { WaitedCall } from "./waited-call.js";

/** How to connect to PostgreSQL. */
export interface ConnectionSettings {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  /** How long to wait for a connection before giving up. */
  readonly connectTimeoutMs: number;
  /** Whether statements are named, so that the server parses and plans them once a connection. */
  readonly prepare: boolean;
  /** For the start of a connection, such as `-c name=value`. */
  readonly options: string | undefined;
  /** How long a statement may run; 0 for as long as it takes. */
  readonly statementTimeoutMs: number;
  /** Whether a server that takes only reads is of no use. */
  readonly needsPrimary: boolean;
}

/** A statement that waits for its result. */
export interface PendingQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly resolve: (result: QueryResult<unknown>) => void;
  readonly reject: (error: unknown) => void;
  /** When it was asked for, in the time of `performance.now()`. */
  readonly since: number;
  /** Whether it may change rows. */
  readonly writes: boolean;
  /** The call that it is for, if that has a deadline. */
  readonly call: WaitedCall | undefined;
  /** How often it was sent. */
  attempts: number;
}

/** Is told what becomes of a connection. */
export interface ConnectionListener {
  /** Called after every statement, whatever became of it. */
  onAnswer(pending: PendingQuery): void;
  /** Takes a statement that failed; `isLost` if the connection ended before the server said what became of it. */
  onFailure(pending: PendingQuery, error: unknown, isLost: boolean): void;
  /** Called when the connection must not get more statements; with what was wrong if nobody else was told. */
  onUnusable(connection: PipelineConnection, error?: Error): void;
}

/**
 * Every statement has one right plan, by index, whatever the size of the tables. Left to itself the server plans some of them
 * anew with every run, as a plan for a limit of unknown size looks dearer to it than it is; and of a statement for many rows
 * it thinks, while tables are small, that reading them whole is as good.
 */
const PLANS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  // Before PostgreSQL 18, reading the one row of the clock looks so dear without a scan that it would be compiled in each run.
  jit: "off",
};

/** What tells a server so, for the start of a connection. */
export const PLAN_OPTIONS = Object.entries(PLANS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(" ");

/** How much longer than it should the server may take before it is taken for gone. */
export const MOST_SILENCE_MS = 5000;

/** The codes of the messages that a server sends in answer to a statement. */
const PARSE_COMPLETE = 0x31;
const ROW_DESCRIPTION = 0x54;
const DATA_ROW = 0x44;
const ERROR_RESPONSE = 0x45;
const READY_FOR_QUERY = 0x5a;

/** A statement that was sent, and what has come of it. */
interface Run {
  readonly pending: PendingQuery;
  /** That of the server-side statement; empty for none. */
  readonly name: string;
  columns: Columns | undefined;
  /** Whether it has asked for the formats of its columns, or gets text only. */
  readonly hasFormats: boolean;
  readonly rows: unknown[];
  error: pg.DatabaseError | undefined;
}

/**
 * A connection that sends statements without waiting for the answers to those before; the server runs them in their order,
 * each in a transaction of its own. When the connection is lost, those in flight are rejected, and nobody can tell which of
 * them were run.
 *
 * `pg` opens the connection and closes it. In between it would spend more on a statement than all the rest of a request, so
 * the messages of the extended protocol are written and read here.
 */
export class PipelineConnection {
  readonly #client: pg.Client;
  readonly #prepare: boolean;
  readonly #listener: ConnectionListener;
  readonly #writer = new MessageWriter();
  /** The statements that have no answer yet, in the order in which they were sent. */
  readonly #runs: Run[] = [];
  /** The names of the statements that are being parsed. */
  readonly #parsing = new Set<string>();
  /** The names of the statements that the server has parsed, with the columns of their results once those are known. */
  readonly #parsed = new Map<string, Columns | undefined>();
  /** What the server has said of the end of the connection. */
  #lastWords: pg.DatabaseError | undefined;
  #isUsable = true;
  /** The statement that was the next to be answered when `watch` was called the last time, and since when it is. */
  #watched: Run | undefined;
  #watchedSince = 0;

  private constructor(client: pg.Client, prepare: boolean, listener: ConnectionListener) {
    this.#client = client;
    this.#prepare = prepare;
    this.#listener = listener;
  }

  /**
   * @throws what `pg` throws when the server is not reached in time or turns the client away, and DatabaseUnavailableError if it
   * takes only reads and that is not enough.
   */
  static async open(settings: ConnectionSettings, listener: ConnectionListener): Promise<PipelineConnection> {
    const client = new pg.Client({
      connectionString: settings.url,
      connectionTimeoutMillis: settings.connectTimeoutMs,
      keepAlive: true,
      ...(settings.options !== undefined && { options: settings.options }),
    });
    const connection = new PipelineConnection(client, settings.prepare, listener);
    // Also while connecting: an error event that nobody listens to would end the process.
    client.on("error", (error) => connection.#onLost(error));
    await connectTo(client, settings.needsPrimary);
    client.on("end", () => connection.#onLost(new DatabaseUnavailableError("the database connection was closed")));
    const stream = connection.#stream;
    stream.removeAllListeners("data");
    stream.on("data", createMessageReader(connection.#onMessage));
    return connection;
  }

  /** Whether it can get more statements. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** The number of statements that have no answer yet. */
  get inFlight(): number {
    return this.#runs.length;
  }

  get #stream(): pg.Connection["stream"] {
    return (this.#client as unknown as { readonly connection: pg.Connection }).connection.stream;
  }

  /** Takes a statement, to be sent with the next `flush`. */
  send(pending: PendingQuery): void {
    const { sql, parameters } = pending;
    let values: readonly WireValue[];
    try {
      values = parameters.map(wireValue);
    } catch (error) {
      pending.reject(error);
      return;
    }
    const name = this.#prepare ? this.#nameFor(sql) : "";
    const columns = this.#parsed.get(name);
    if (!this.#parsed.has(name)) this.#writer.parse(name, sql);
    this.#writer.bind(name, values, columns?.formats ?? ALL_TEXT);
    if (columns === undefined) this.#writer.describe();
    this.#writer.executeAndSync();
    const hasFormats = columns !== undefined;
    this.#runs.push({ pending, name, columns, hasFormats, rows: [], error: undefined });
  }

  /** Sends what was taken, all of it together. */
  flush(): void {
    if (!this.#writer.isEmpty) this.#stream.write(this.#writer.take());
  }

  /** Waits for the end of the connection. Call it when no statement is under way. */
  close(): Promise<void> {
    this.#isUsable = false;
    return this.#client.end();
  }

  /** Cancels a statement, if it is the one that the server runs; the connection gets no more. */
  cancel(pending: PendingQuery): void {
    if (this.#runs[0]?.pending !== pending) return;
    void sendCancelRequest(this.#client);
    this.retire();
  }

  /**
   * Looks how long the next answer has not come. The server itself ends what takes longer than `limitMs`, unless it could not be
   * told so; one that does not answer then either, as it is gone without a word, is taken for lost. Call it now and then.
   */
  watch(limitMs: number): void {
    const [run] = this.#runs;
    const now = performance.now();
    if (run !== this.#watched) [this.#watched, this.#watchedSince] = [run, now];
    if (run === undefined) return;
    const late = now - this.#watchedSince - limitMs;
    if (late > MOST_SILENCE_MS) this.#stream.destroy(new DatabaseUnavailableError("the database does not answer"));
    else if (late > 0) this.cancel(run.pending);
  }

  /** Gets no more statements, and ends when those in flight have their answers. */
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
   * Empty while the first statement of this name is being parsed: if that failed, those behind it would fail for the lack of
   * it.
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
      if (type === ERROR_RESPONSE) this.#lastWords = readDatabaseError(bytes, start, end);
      return;
    }
    switch (type) {
      case DATA_ROW: {
        const columns = run.columns as Columns;
        run.rows.push(readRow(columns, run.hasFormats ? columns.readers : columns.textReaders, bytes, start));
        break;
      }
      case PARSE_COMPLETE:
        if (run.name !== "") this.#parsed.set(run.name, undefined);
        break;
      case ROW_DESCRIPTION:
        run.columns = readColumns(bytes, start);
        if (run.name !== "") this.#parsed.set(run.name, run.columns);
        break;
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
    else pending.resolve({ rows });
    if (!this.#isUsable && this.#runs.length === 0) void this.#client.end();
    this.#listener.onAnswer(pending);
  }

  /** Rejects what is in flight: the server may have told the first one why. */
  #onLost(error: Error): void {
    const runs = this.#runs.splice(0);
    this.#setUnusable(runs.length === 0 ? (this.#lastWords ?? error) : undefined);
    for (const run of runs) {
      this.#listener.onFailure(run.pending, run.error ?? error, true);
      this.#listener.onAnswer(run.pending);
    }
  }
}
