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
import { type DatabaseLocation, IN_MEMORY } from "../config/database-location.js";
import { createEmbeddedDialect } from "./embedded/embedded-dialect.js";
import { EngineClient } from "./embedded/engine-client.js";
import { openDataDirectory } from "./embedded/open-data-directory.js";
import { createPostgresOptions } from "./postgres-options.js";
import { prepareStatement } from "./prepared-statement.js";
import type { Schema } from "./tables/schema.js";

/** Access to the database for requests. */
export interface DatabaseAccess {
  readonly db: Executor;
  /**
   * Whether the tables are distributed over a Citus cluster; false until the database has been reached. On a cluster, every statement that
   * writes must name one account, so that one worker can run it.
   */
  readonly isDistributed: boolean;
  /**
   * Approximate maximum number of calls that one statement of a report counts, so that other statements do not wait for more than a second:
   * the embedded database runs one statement at a time. Undefined on PostgreSQL.
   */
  readonly maxReportedCalls: number | undefined;
}

/** The database of a running server. */
export interface ServedDatabase extends DatabaseAccess {
  /** Empty for the embedded database. */
  readonly connectionPools: readonly ConnectionPoolStats[];
  /** Resolves if the database responds; rejects with its error otherwise. */
  ping(): Promise<void>;
  /** Waits for statements in progress, then closes the connections. */
  close(): Promise<void>;
}

export interface Database extends ServedDatabase {
  /** Runs arbitrary SQL, such as migrations. */
  readonly kysely: Kysely<Schema>;
}

export interface DatabaseObserver {
  readonly onStatement?: (use: ConnectionUse | "embedded", ms: number) => void;
}

/** The embedded database takes about 0.2 s to count this many calls. */
const MAX_REPORTED_CALLS = 50_000;

const pingStatement = prepareStatement((db) => db.selectNoFrom((from) => from.lit(1).as("one")));

/**
 * Opens the database. The first statement connects to it.
 *
 * @param log receives errors on idle connections, and changes to the permissions of the embedded database's directory.
 * @throws ConfigError if another process uses the embedded database's directory; UnusableDatabaseError if it is unusable.
 */
export function openDatabase(location: DatabaseLocation, log?: Logger, observer: DatabaseObserver = {}): Database {
  // Only the message is logged, because pg adds the client to the error, with its settings and statements.
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

/** Opens the database, runs `work` and closes the database; see `openDatabase`. */
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
  const lock = directory === IN_MEMORY ? undefined : openDataDirectory(directory, log);
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
