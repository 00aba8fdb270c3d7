import { Kysely } from "kysely";
import { lockDataDirectory } from "./data-directory-lock.js";
import { EmbeddedDialect, IN_MEMORY } from "./embedded-dialect.js";
import { openPostgres, type PostgresSettings } from "./open-postgres.js";
import { type Executor, prepareStatement } from "./prepared-statement.js";
import type { ReplicaObserver } from "./replica/replica-reads.js";
import type { Schema } from "./schema.js";

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
  /** Resolves if the database answers; rejects with its error if not. */
  ping(): Promise<void>;
  /** Waits for the statements that run, and closes. */
  close(): Promise<void>;
}

const UNOBSERVED: ReplicaObserver = { change() {}, read() {} };

const pingStatement = prepareStatement((db) => db.selectNoFrom((from) => from.lit(1).as("one")));

/**
 * Opens the database; connects at the first statement.
 *
 * @param onIdleError is told of connections that fail while nobody uses them.
 * @param replicaObserver is told how the standby is used, if there is one.
 * @throws DataDirectoryInUseError if another server uses the embedded database's directory.
 */
export function openDatabase(
  location: DatabaseLocation,
  onIdleError: (error: Error) => void,
  replicaObserver: ReplicaObserver = UNOBSERVED,
): Database {
  const { db, reads, close } =
    location.kind === "postgres"
      ? openPostgres(location, onIdleError, replicaObserver)
      : openEmbedded(location.directory);
  return {
    db,
    reads,
    isDistributed: location.kind === "postgres" && location.isDistributed === true,
    ping: async () => {
      await pingStatement(db, {});
    },
    close,
  };
}

function openEmbedded(directory: string): Pick<Database, "db" | "reads" | "close"> {
  const lock = directory === IN_MEMORY ? undefined : lockDataDirectory(directory);
  const db = new Kysely<Schema>({ dialect: new EmbeddedDialect(directory) });
  return {
    db,
    reads: db,
    async close() {
      await db.destroy();
      lock?.release();
    },
  };
}
