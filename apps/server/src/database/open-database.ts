import {
  type ConnectionUse,
  createStatementLog,
  type Executor,
  KyselyExecutor,
  openPostgres,
  type PoolStats,
  type ReplicaObserver,
} from "@calltrack/postgres";
import { Kysely } from "kysely";
import type { Logger } from "pino";
import type { DatabaseLocation } from "../config/database-location.js";
import { inspectDataDirectory } from "./embedded/data-directory.js";
import { type DataDirectoryLock, lockDataDirectory } from "./embedded/data-directory-lock.js";
import { EmbeddedDialect } from "./embedded/embedded-dialect.js";
import { createEmbeddedEngine, IN_MEMORY } from "./embedded/embedded-engine.js";
import { openFailure } from "./embedded/embedded-failure.js";
import { postgresOptions } from "./postgres-options.js";
import { prepareStatement } from "./prepared-statement.js";
import type { Schema } from "./tables/schema.js";

/** What requests run their statements on. */
export interface DatabaseAccess {
  readonly db: Executor;
  /** For requests that only read: they see what they would see in `db`, but a standby may answer them. */
  readonly reads: Executor;
  /**
   * Whether the database is spread over several servers; false until it was reached. Then each statement that writes names one
   * account, whose rows one server has.
   */
  readonly isDistributed: boolean;
}

/** The database of a server that serves. */
export interface ServedDatabase extends DatabaseAccess {
  /** The connections to a PostgreSQL server; the embedded database has none. */
  readonly pools: readonly PoolStats[];
  /** Resolves if the database answers; rejects with its error if not. */
  ping(): Promise<void>;
  /** Waits for the statements in progress, and closes. */
  close(): Promise<void>;
}

/** An open database. */
export interface Database extends ServedDatabase {
  /** Runs any SQL, for migrations and the like. */
  readonly kysely: Kysely<Schema>;
}

/** Observes how the database is used. */
export interface DatabaseObserver {
  /** Observes the standby, if there is one. */
  readonly replica?: ReplicaObserver;
  /** A statement succeeded or failed, this long after it was requested; in a transaction, after it was sent. */
  onStatement?(use: ConnectionUse | "embedded", ms: number): void;
}

const pingStatement = prepareStatement((db) => db.selectNoFrom((from) => from.lit(1).as("one")));

/**
 * Opens the database; connects at the first statement.
 *
 * @param log gets the errors of connections that fail while they are idle.
 * @throws UnusableDatabaseError if the embedded database's directory cannot be used, or another server uses it.
 */
export function openDatabase(location: DatabaseLocation, log?: Logger, observer: DatabaseObserver = {}): Database {
  const onIdleError = (error: Error) => log?.warn({ err: error }, "a database connection was lost");
  const opened =
    location.kind === "postgres"
      ? openPostgres<Schema>({ ...postgresOptions(location), observer: { ...observer, onIdleError } })
      : openEmbedded(location.directory, observer);
  return {
    ...opened,
    isDistributed: location.kind === "postgres" && location.isDistributed === true,
    ping: async () => {
      await pingStatement(opened.db, {});
    },
  };
}

/** Opens the database for some work, and closes it; see `openDatabase`. */
export async function useDatabase<T>(
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
    dialect: new EmbeddedDialect(createEmbeddedEngine(directory)),
    log: createStatementLog((ms) => observer.onStatement?.("embedded", ms)),
  });
  const db = new KyselyExecutor(kysely);
  return {
    db,
    reads: db,
    kysely,
    pools: [],
    async close() {
      await kysely.destroy();
      lock?.release();
    },
  };
}

/** Leaves no lock in a folder that is not for a database. */
function takeDataDirectory(directory: string): DataDirectoryLock {
  try {
    inspectDataDirectory(directory);
    return lockDataDirectory(directory);
  } catch (error) {
    throw openFailure(directory, error, undefined);
  }
}
