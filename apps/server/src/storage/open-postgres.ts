import {
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
} from "kysely";
import pg from "pg";
import type { Database } from "./database.js";
import { type OpenConnection, Pipeline, type PipelineSize } from "./pipeline.js";
import { type ConnectionSettings, PipelineConnection, PLAN_OPTIONS } from "./pipeline-connection.js";
import { PipelinedKysely } from "./pipelined-kysely.js";
import { type ReplicaObserver, ReplicaReads } from "./replica/replica-reads.js";
import type { Schema } from "./schema.js";
import { statementName } from "./statement-name.js";

const CONNECT_TIMEOUT_MS = 10_000;

/** Reads wait for nothing but the processor, and many on a connection save round trips. */
const READS: PipelineSize = { connections: 3, depth: 64, folds: true, waitTimeoutMs: CONNECT_TIMEOUT_MS };

/** A coordinator waits for the server that has the rows, one statement of a connection after the other. */
const DISTRIBUTED_READS: PipelineSize = { connections: 16, depth: 4, folds: false, waitTimeoutMs: CONNECT_TIMEOUT_MS };

/**
 * Writes wait for locks and for the disk. One that waits must not hold up others behind it, and those that commit on
 * different connections at one time share one sync of the disk.
 */
const WRITES: PipelineSize = { connections: 16, depth: 1, folds: false, waitTimeoutMs: CONNECT_TIMEOUT_MS };

const MOST_OWN_CONNECTIONS = 4;

/** What each of several processes has at least: with fewer, what waits for a lock would hold up what needs none. */
const LEAST = { reads: 2, writes: 4, own: 3 };

/** How a server uses PostgreSQL. */
export interface PostgresSettings {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  /** Whether the server may keep prepared statements, which PgBouncer may not allow; by default, it does. */
  readonly prepare?: boolean;
  /** How many processes share what one server opens of connections; by default, this is the only one. */
  readonly processes?: number;
  /** A streaming standby of it, for reads; by default, there is none. */
  readonly replicaUrl?: string | undefined;
  /** Whether it is spread over several servers: see `findDistribution`. By default, it is not. */
  readonly isDistributed?: boolean;
}

/**
 * Opens the database of a PostgreSQL server; connects at the first statement.
 *
 * @param onIdleError is told of a connection that failed while nobody used it; it is replaced.
 */
export function openPostgres(
  { url, prepare = true, processes = 1, replicaUrl, isDistributed = false }: PostgresSettings,
  onIdleError: (error: Error) => void,
  replicaObserver: ReplicaObserver,
): Pick<Database, "db" | "reads" | "close"> {
  const options = prepare && !isDistributed ? PLAN_OPTIONS : undefined;
  const settings: ConnectionSettings = { url, prepare, options, connectTimeoutMs: CONNECT_TIMEOUT_MS };
  const share = (connections: number, least: number) => Math.max(least, Math.ceil(connections / processes));
  const mostReads = isDistributed ? DISTRIBUTED_READS : READS;
  const readSize = { ...mostReads, connections: share(mostReads.connections, LEAST.reads) };
  const writeSize = { ...WRITES, connections: share(WRITES.connections, LEAST.writes) };
  const reads = new Pipeline(readSize, openTo(settings), onIdleError);
  const writes = new Pipeline(writeSize, openTo(settings), onIdleError);
  const pool = ownConnections(settings, share(MOST_OWN_CONNECTIONS, LEAST.own), onIdleError);
  const config = { dialect: new PatientDialect({ pool }) };
  const db = new PipelinedKysely<Schema>(config, { reads, writes });
  if (replicaUrl === undefined) return { db, reads: db, close: () => db.destroy() };
  const openReplica = openTo({ ...settings, url: replicaUrl });
  const replica = new ReplicaReads(reads, readSize, openReplica, onIdleError, replicaObserver);
  return {
    db,
    reads: new PipelinedKysely<Schema>(config, { reads: replica, writes }),
    async close() {
      // What runs on the standby may have to run on the primary yet.
      await replica.close();
      await db.destroy();
    },
  };
}

function openTo(settings: ConnectionSettings): OpenConnection {
  return (...listeners) => PipelineConnection.open(settings, ...listeners);
}

/** Connections for transactions, and for statements that need one to themselves. */
function ownConnections(
  { url, prepare, options }: ConnectionSettings,
  max: number,
  onIdleError: (error: Error) => void,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    Client: prepare ? NamedStatementClient : pg.Client,
    ...(options !== undefined && { options }),
  });
  pool.on("error", onIdleError);
  // The pool listens to a connection only while nobody uses it; whoever does sees the statement fail.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/**
 * Names every statement that has parameters by its text, so that the server parses and plans it once a connection. Kysely
 * sends no names.
 */
class NamedStatementClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's query() have no common type
  override query(...args: any[]): any {
    const [text, values] = args;
    const name =
      typeof text === "string" && Array.isArray(values) && values.length > 0 ? statementName(text) : undefined;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const query = super.query as (...args: any[]) => any;
    return name === undefined ? query.apply(this, args) : query.call(this, { name, text, values }, ...args.slice(2));
  }
}

/** Closes only when nobody has a connection, or waits for one. */
class PatientDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): Driver {
    return new PatientDriver(this.#config);
  }
}

class PatientDriver extends PostgresDriver {
  #acquired = 0;
  #onAllReleased: () => void = () => {};

  override async acquireConnection(...options: Parameters<Driver["acquireConnection"]>): Promise<DatabaseConnection> {
    this.#acquired++;
    return super.acquireConnection(...options).catch((error) => {
      this.#onRelease();
      throw error;
    });
  }

  override async releaseConnection(connection: Parameters<PostgresDriver["releaseConnection"]>[0]): Promise<void> {
    await super.releaseConnection(connection);
    this.#onRelease();
  }

  override async destroy(): Promise<void> {
    if (this.#acquired > 0) {
      await new Promise<void>((resolve) => {
        this.#onAllReleased = resolve;
      });
    }
    await super.destroy();
  }

  #onRelease(): void {
    this.#acquired--;
    if (this.#acquired === 0) this.#onAllReleased();
  }
}
