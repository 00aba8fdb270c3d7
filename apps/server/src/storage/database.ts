import { Kysely } from "kysely";
import type { Schema } from "../database/tables/schema.js";
import { type ConnectionPool, observeQueries, type StatementObserver } from "./connection-pool.js";
import { inspectDataDirectory } from "./data-directory.js";
import { type DataDirectoryLock, lockDataDirectory } from "./data-directory-lock.js";
import { EmbeddedDialect } from "./embedded-dialect.js";
import { createEmbeddedEngine, IN_MEMORY } from "./embedded-engine.js";
import { openFailure } from "./embedded-failure.js";
import { openPostgres, type PostgresSettings } from "./open-postgres.js";
import { type Executor, prepareStatement } from "./prepared-statement.js";
import type { ReplicaObserver } from "./replica/replica-reads.js";

/** Where the data is kept. */
export type DatabaseLocation =
  | ({ readonly kind: "postgres" } & PostgresSettings)
  /** `directory` may be `memory://`, which keeps nothing. */
  | { readonly kind: "embedded"; readonly directory: string };

/** What requests run their statements on. */
export interface DatabaseAccess {
  readonly db: Executor;
  /** For requests that only read: they see what they would see in `db`, but may be answered by a standby of it. */
  readonly reads: Executor;
  /** Whether it is spread over several servers, which is not known before it was reached: then a statement that writes names one account, which one of them has. */
  readonly isDistributed: boolean;
}

/** An open database. */
export interface Database extends DatabaseAccess {
  /** The connections to a PostgreSQL server; the embedded database has none. */
  readonly pools: readonly ConnectionPool[];
  /** Resolves if the database answers; rejects with its error if not. */
  ping(): Promise<void>;
  /** Waits for the statements that run, and closes. */
  close(): Promise<void>;
}

/** Who is told how the database is used. */
export interface DatabaseObservers {
  /** Is told how the standby is used, if there is one. */
  readonly replica: ReplicaObserver;
  readonly statements: StatementObserver;
}

const NOBODY: DatabaseObservers = { replica: { change() {}, read() {} }, statements: { answered() {} } };

const pingStatement = prepareStatement((db) => db.selectNoFrom((from) => from.lit(1).as("one")));

/**
 * Opens the database; connects at the first statement.
 *
 * @param onIdleError is told of connections that fail while nobody uses them.
 * @throws DataDirectoryInUseError if another server uses the embedded database's directory; DataDirectoryError or
 *   EmbeddedDatabaseError if that cannot be used.
 */
export function openDatabase(
  location: DatabaseLocation,
  onIdleError: (error: Error) => void,
  observers: DatabaseObservers = NOBODY,
): Database {
  const opened =
    location.kind === "postgres"
      ? openPostgres(location, onIdleError, observers)
      : openEmbedded(location.directory, observers.statements);
  return {
    ...opened,
    isDistributed: location.kind === "postgres" && location.isDistributed === true,
    ping: async () => {
      await pingStatement(opened.db, {});
    },
  };
}

/** What an engine opens. */
export type OpenedDatabase = Pick<Database, "db" | "reads" | "pools" | "close">;

function openEmbedded(directory: string, observer: StatementObserver): OpenedDatabase {
  const lock = directory === IN_MEMORY ? undefined : takeDataDirectory(directory);
  const db = new Kysely<Schema>({
    dialect: new EmbeddedDialect(createEmbeddedEngine(directory)),
    log: observeQueries("embedded", observer),
  });
  return {
    db,
    reads: db,
    pools: [],
    async close() {
      await db.destroy();
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
