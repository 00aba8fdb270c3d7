import {
  type ConnectionPoolStats,
  type ConnectionUse,
  createStatementLog,
  type Executor,
  KyselyExecutor,
  openPostgres,
} from "@calltrack/postgres";
import { Kysely } from "kysely";
import type { Logger } from "pino";
import { type DatabaseLocation, IN_MEMORY_DIRECTORY } from "../config/database-location.js";
import { createEmbeddedDialect } from "./embedded/embedded-dialect.js";
import { EngineClient } from "./embedded/engine-client.js";
import { openDataDirectory } from "./embedded/open-data-directory.js";
import { createPostgresOptions } from "./postgres-options.js";
import { prepareStatement } from "./prepared-statement.js";
import type { Schema } from "./tables/schema.js";

/** The part of a database that services use to handle requests. */
export interface DatabaseAccess {
  readonly db: Executor;
  /**
   * Whether the tables are distributed over a Citus cluster. False until the server has connected to the database. On a cluster, every statement that
   * writes must concern only one account, so that a single worker can run it.
   */
  readonly isDistributed: boolean;
  /**
   * The approximate maximum number of calls that one statement of a report counts. The embedded database runs one statement at a time, and this limit
   * keeps other statements from waiting for more than a second. Undefined on PostgreSQL.
   */
  readonly maxReportedCalls: number | undefined;
}

/** The part of a database that a running server uses. */
export interface DatabaseHandle extends DatabaseAccess {
  /** Empty for the embedded database, which has no connection pools. */
  readonly connectionPools: readonly ConnectionPoolStats[];
  /** Resolves if the database responds. Otherwise, rejects with the error of the statement. */
  ping(): Promise<void>;
  /** Waits for statements in progress, then closes the connections. */
  close(): Promise<void>;
}

export interface Database extends DatabaseHandle {
  /** Runs SQL that is not a prepared statement, such as migrations. */
  readonly kysely: Kysely<Schema>;
}

export interface DatabaseObserver {
  readonly onStatement?: (use: ConnectionUse | "embedded", ms: number) => void;
}

/** The embedded database takes about 0.2 s to count this many calls. */
const MAX_REPORTED_CALLS = 50_000;

const pingStatement = prepareStatement((db) => db.selectNoFrom((from) => from.lit(1).as("one")));

/**
 * Opens the database. Connects to PostgreSQL only when the first statement runs.
 *
 * @param log for errors on idle connections, and for changes to the permissions of the embedded database's directory.
 * @throws ConfigError if another process uses the embedded database's directory; UnusableDatabaseError if the directory is unusable.
 */
export function openDatabase(location: DatabaseLocation, log?: Logger, observer: DatabaseObserver = {}): Database {
  // Logs only the message, because pg adds its client object to the error, with settings and statements.
  const onIdleError = ({ message }: Error) => log?.warn({ reason: message }, "a database connection was lost");
  const opened =
    location.kind === "postgres"
      ? openPostgres<Schema>({ ...createPostgresOptions(location), observer: { ...observer, onIdleError } })
      : openEmbedded(location.directory, log, observer);
  return {
    ...opened,
    isDistributed: location.kind === "postgres" && location.isDistributed === true,
    maxReportedCalls: location.kind === "embedded" ? MAX_REPORTED_CALLS : undefined,
    ping: async () => {
      await pingStatement(opened.db, {});
    },
  };
}

/** Opens the database, calls `work`, and closes the database, even if `work` throws. */
export async function withDatabase<T>(
  location: DatabaseLocation,
  log: Logger | undefined,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = openDatabase(location, log);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

function openEmbedded(
  directory: string,
  log: Logger | undefined,
  observer: DatabaseObserver,
): Omit<Database, "isDistributed" | "maxReportedCalls" | "ping"> {
  const lock = directory === IN_MEMORY_DIRECTORY ? undefined : openDataDirectory(directory, log);
  const kysely = new Kysely<Schema>({
    dialect: createEmbeddedDialect(new EngineClient(directory)),
    log: createStatementLog((ms) => observer.onStatement?.("embedded", ms)),
  });
  const db = new KyselyExecutor(kysely);
  return {
    db,
    kysely,
    connectionPools: [],
    async close() {
      await kysely.destroy();
      lock?.release();
    },
  };
}
