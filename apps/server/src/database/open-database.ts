import {
  type ConnectionUse,
  createStatementLog,
  type Executor,
  KyselyExecutor,
  openPostgres,
  type PoolStats,
} from "@calltrack/postgres";
import { Kysely } from "kysely";
import type { Logger } from "pino";
import type { DatabaseLocation } from "../config/database-location.js";
import { inspectDataDirectory } from "./embedded/data-directory.js";
import { type DataDirectoryLock, lockDataDirectory } from "./embedded/data-directory-lock.js";
import { createEmbeddedDialect } from "./embedded/embedded-dialect.js";
import { EmbeddedEngine, IN_MEMORY } from "./embedded/embedded-engine.js";
import { createOpenError } from "./embedded/embedded-failure.js";
import { createPostgresOptions } from "./postgres-options.js";
import { prepareStatement } from "./prepared-statement.js";
import type { Schema } from "./tables/schema.js";

/** Access to the database for requests. */
export interface DatabaseAccess {
  readonly db: Executor;
  /**
   * Whether the tables are distributed over a Citus cluster; false until the database was reached. Then every statement
   * that writes must name one account, so that one worker can run it.
   */
  readonly isDistributed: boolean;
}

/** The database of a running server. */
export interface ServedDatabase extends DatabaseAccess {
  /** The connections to a PostgreSQL server; the embedded database has none. */
  readonly pools: readonly PoolStats[];
  /** Resolves if the database responds; rejects with its error otherwise. */
  ping(): Promise<void>;
  /** Waits for statements in progress, then closes the connections. */
  close(): Promise<void>;
}

/** An open database. */
export interface Database extends ServedDatabase {
  /** Runs arbitrary SQL, such as migrations. */
  readonly kysely: Kysely<Schema>;
}

/** Observes the use of the database; see `PostgresObserver`. */
export interface DatabaseObserver {
  onStatement?(use: ConnectionUse | "embedded", ms: number): void;
}

const pingStatement = prepareStatement((db) => db.selectNoFrom((from) => from.lit(1).as("one")));

/**
 * Opens the database; connects at the first statement.
 *
 * @param log receives errors of idle connections.
 * @throws UnusableDatabaseError if the embedded database's directory is unusable or used by another server.
 */
export function openDatabase(location: DatabaseLocation, log?: Logger, observer: DatabaseObserver = {}): Database {
  const onIdleError = (error: Error) => log?.warn({ err: error }, "a database connection was lost");
  const opened =
    location.kind === "postgres"
      ? openPostgres<Schema>({ ...createPostgresOptions(location), observer: { ...observer, onIdleError } })
      : openEmbedded(location.directory, observer);
  return {
    ...opened,
    isDistributed: location.kind === "postgres" && location.isDistributed === true,
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

function openEmbedded(directory: string, observer: DatabaseObserver): Omit<Database, "isDistributed" | "ping"> {
  const lock = directory === IN_MEMORY ? undefined : takeDataDirectory(directory);
  const kysely = new Kysely<Schema>({
    dialect: createEmbeddedDialect(new EmbeddedEngine(directory)),
    log: createStatementLog((ms) => observer.onStatement?.("embedded", ms)),
  });
  const db = new KyselyExecutor(kysely);
  return {
    db,
    kysely,
    pools: [],
    async close() {
      await kysely.destroy();
      lock?.release();
    },
  };
}

/** Inspects the directory before locking it, so that no lock file is left in an unrelated folder. */
function takeDataDirectory(directory: string): DataDirectoryLock {
  try {
    inspectDataDirectory(directory);
    return lockDataDirectory(directory);
  } catch (error) {
    throw createOpenError(directory, error, undefined);
  }
}
