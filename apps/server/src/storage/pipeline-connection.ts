import type { QueryResult } from "kysely";
import pg from "pg";
import { readDatabaseError } from "./database-error.js";
import { createMessageReader } from "./message-reader.js";
import { MessageWriter, type WireValue, wireValue } from "./message-writer.js";
import { DatabaseUnavailableError } from "./postgres-error.js";
import { ALL_TEXT, type Columns, readColumns, readRow } from "./row-reader.js";
import { statementName } from "./statement-name.js";

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
}

/** A statement that waits for its result. */
export interface PendingQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly resolve: (result: QueryResult<unknown>) => void;
  readonly reject: (error: unknown) => void;
  /** When it was asked for, in the time of `performance.now()`. */
  readonly since: number;
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
};

/** What tells a server so, for the start of a connection. */
export const PLAN_OPTIONS = Object.entries(PLANS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(" ");

/**
 * SQLSTATEs that a named statement fails with for ever on its connection: its result has other types since a migration
 * (0A000), or something between here and the server has dropped it (26000).
 */
const UNUSABLE_STATEMENT = new Set(["0A000", "26000"]);

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
  /** Called after every statement, whatever became of it. */
  readonly #onAnswer: () => void;
  /** Called when the connection must not get more statements; with what was wrong if nobody else was told. */
  readonly #onUnusable: (error?: Error) => void;
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

  private constructor(
    client: pg.Client,
    prepare: boolean,
    onAnswer: () => void,
    onUnusable: (connection: PipelineConnection, error?: Error) => void,
  ) {
    this.#client = client;
    this.#prepare = prepare;
    this.#onAnswer = onAnswer;
    this.#onUnusable = (error) => {
      if (!this.#isUsable) return;
      this.#isUsable = false;
      onUnusable(this, error);
    };
  }

  /** @throws what `pg` throws when the server is not reached in time or turns the client away. */
  static async open(
    settings: ConnectionSettings,
    onAnswer: () => void,
    onUnusable: (connection: PipelineConnection, error?: Error) => void,
  ): Promise<PipelineConnection> {
    const client = new pg.Client({
      connectionString: settings.url,
      connectionTimeoutMillis: settings.connectTimeoutMs,
      keepAlive: true,
      ...(settings.options !== undefined && { options: settings.options }),
    });
    const connection = new PipelineConnection(client, settings.prepare, onAnswer, onUnusable);
    // Also while connecting: an error event that nobody listens to would end the process.
    client.on("error", (error) => connection.#onLost(error));
    await client.connect();
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
    if (error !== undefined) pending.reject(error);
    else pending.resolve({ rows });
    if (name !== "" && UNUSABLE_STATEMENT.has(error?.code ?? "")) this.#abandon();
    this.#onAnswer();
  }

  /** Gets no more statements, and ends when those in flight have their answers. */
  #abandon(): void {
    if (!this.#isUsable) return;
    this.#onUnusable();
    void this.#client.end();
  }

  /** Rejects what is in flight: the server may have told the first one why. */
  #onLost(error: Error): void {
    const runs = this.#runs.splice(0);
    this.#onUnusable(runs.length === 0 ? (this.#lastWords ?? error) : undefined);
    for (const run of runs) {
      run.pending.reject(run.error ?? error);
      this.#onAnswer();
    }
  }
}
