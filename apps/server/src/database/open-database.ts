import {
  type ConnectionUse,
  createStatementLog,
  type Executor,
  KyselyExecutor,
  openPostgres,
  type PoolStats,
  type PostgresObserver,
} from "@calltrack/postgres";
import { Kysely } from "kysely";
import type { Logger } from "pino";
import type { DatabaseLocation } from "../config/database-location.js";
import { createEmbeddedDialect } from "./embedded/embedded-dialect.js";
import { EmbeddedEngine, IN_MEMORY } from "./embedded/embedded-engine.js";
import { openDataDirectory } from "./embedded/open-data-directory.js";
import { createPostgresOptions } from "./postgres-options.js";
import { prepareStatement } from "./prepared-statement.js";
import type { Schema } from "./tables/schema.js";

/** Access to the database for requests. */
export interface DatabaseAccess {
  readonly db: Executor;
  /** For read-only requests: a standby may run them, but they see all data that `db` would show. */
  readonly reads: Executor;
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
export interface DatabaseObserver extends Pick<PostgresObserver, "replica"> {
  onStatement?(use: ConnectionUse | "embedded", ms: number): void;
}

const pingStatement = prepareStatement((db) => db.selectNoFrom((from) => from.lit(1).as("one")));

/**
 * Opens the database; connects at the first statement.
 *
 * @param log receives errors of idle connections, and changes of the embedded database's permissions.
 * @throws ConfigError if another process uses the embedded database's directory; UnusableDatabaseError if it is
 *   unusable.
 */
export function openDatabase(location: DatabaseLocation, log?: Logger, observer: DatabaseObserver = {}): Database {
  const onIdleError = (error: Error) => log?.warn({ err: error }, "a database connection was lost");
  const opened =
    location.kind === "postgres"
      ? openPostgres<Schema>({ ...createPostgresOptions(location), observer: { ...observer, onIdleError } })
      : openEmbedded(location.directory, log, observer);
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

function openEmbedded(
  directory: string,
  log: Logger | undefined,
  observer: DatabaseObserver,
): Omit<Database, "isDistributed" | "ping"> {
  const lock = directory === IN_MEMORY ? undefined : openDataDirectory(directory, log);
  const kysely = new Kysely<Schema>({
    dialect: createEmbeddedDialect(new EmbeddedEngine(directory)),
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
