import { Kysely } from "kysely";
import { lockDataDirectory } from "./data-directory-lock.js";
import { EmbeddedDialect, IN_MEMORY } from "./embedded-dialect.js";
import { openPostgres, type PostgresSettings } from "./open-postgres.js";
import { prepareStatement } from "./prepared-statement.js";
import type { Schema } from "./schema.js";

/** Where the data is kept. */
export type DatabaseLocation =
  | ({ readonly kind: "postgres" } & PostgresSettings)
  /** `directory` may be `memory://`, which keeps nothing. */
  | { readonly kind: "embedded"; readonly directory: string };

/** An open database. */
export interface Database {
  readonly db: Kysely<Schema>;
  /** Resolves if the database answers; rejects with its error if not. */
  ping(): Promise<void>;
  /** Waits for the statements that run, and closes. */
  close(): Promise<void>;
}

const pingStatement = prepareStatement((db) => db.selectNoFrom((from) => from.lit(1).as("one")));

/**
 * Opens the database; connects at the first statement.
 *
 * @param onIdleError is told of connections that fail while nobody uses them.
 * @throws DataDirectoryInUseError if another server uses the embedded database's directory.
 */
export function openDatabase(location: DatabaseLocation, onIdleError: (error: Error) => void): Database {
  if (location.kind === "postgres") return database(openPostgres(location, onIdleError));
  const lock = location.directory === IN_MEMORY ? undefined : lockDataDirectory(location.directory);
  return database(new Kysely({ dialect: new EmbeddedDialect(location.directory) }), () => lock?.release());
}

function database(db: Kysely<Schema>, afterwards: () => void = () => {}): Database {
  return {
    db,
    ping: async () => {
      await pingStatement(db, {});
    },
    close: async () => {
      await db.destroy();
      afterwards();
    },
  };
}
