import type { QueryResult } from "kysely";
import pg from "pg";
import { type PgConnection, PipelineQuery } from "./pipeline-query.js";
import type { PreparedQuery } from "./prepared-query.js";
import type { Columns } from "./row-reader.js";
import { statementName } from "./statement-name.js";

/** How to connect to PostgreSQL. */
export interface ConnectionSettings {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  /** How long to wait for a connection before giving up. */
  readonly connectTimeoutMs: number;
  /** Whether statements are named, so that the server parses and plans them once a connection. */
  readonly prepare: boolean;
}

/** A statement that waits for its result. */
export interface PendingQuery {
  readonly query: PreparedQuery<unknown>;
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

/**
 * A connection that sends statements without waiting for the answers to those before; the server runs them in their order,
 * each in a transaction of its own. When the connection is lost, those in flight are rejected, and nobody can tell which of
 * them were run.
 */
export class PipelineConnection {
  readonly #client: pg.Client;
  readonly #prepare: boolean;
  /** Called after every statement, whatever became of it. */
  readonly #onAnswer: () => void;
  /** Called when the connection must not get more statements; with what was wrong if nobody else was told. */
  readonly #onUnusable: (error?: Error) => void;
  /** The names of the statements that are being parsed. */
  readonly #parsing = new Set<string>();
  /** The columns of the results of named statements: the server refuses to run one of which they have changed. */
  readonly #columns = new Map<string, Columns>();
  #inFlight = 0;
  #isUsable = true;
  #isCorked = false;

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
      pipeline: true,
      ...(settings.prepare && { options: PLAN_OPTIONS }),
    });
    const connection = new PipelineConnection(client, settings.prepare, onAnswer, onUnusable);
    // Also while connecting: an error event that nobody listens to would end the process.
    client.on("error", (error) => connection.#onUnusable(connection.#inFlight === 0 ? error : undefined));
    await client.connect();
    return connection;
  }

  /** Whether it can get more statements. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** The number of statements that have no answer yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Sends a statement; all that are sent in one turn of the event loop leave together. */
  send({ query, resolve, reject }: PendingQuery): void {
    const name = this.#prepare ? this.#nameFor(query.sql) : "";
    const run = new PipelineQuery(name, query.sql, query.parameters, this.#columns.get(name), (error, result) => {
      this.#inFlight--;
      if (name !== "") this.#onNamedAnswer(name, run.columns, error);
      if (result === undefined) reject(error);
      else resolve(result);
      this.#onAnswer();
    });
    this.#inFlight++;
    this.#cork();
    this.#client.query(run as unknown as pg.Submittable);
  }

  /** Waits for the statements in flight, and for the end of the connection. */
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
    if (this.#connection.parsedStatements[name] === undefined) this.#parsing.add(name);
    return name;
  }

  #onNamedAnswer(name: string, columns: Columns | undefined, error: unknown): void {
    this.#parsing.delete(name);
    if (columns !== undefined) this.#columns.set(name, columns);
    if (!UNUSABLE_STATEMENT.has((error as { code?: string } | null)?.code ?? "") || !this.#isUsable) return;
    this.#onUnusable();
    void this.#client.end();
  }

  get #connection(): PgConnection {
    return this.#client.connection as unknown as PgConnection;
  }

  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const { stream } = this.#connection;
    stream.cork();
    setImmediate(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }
}
