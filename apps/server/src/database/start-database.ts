import { setTimeout as pause } from "node:timers/promises";
import {
  type CompiledStatement,
  DatabaseUnavailableError,
  type Executor,
  isDatabaseUnavailable,
} from "@calltrack/postgres";
import type { Logger } from "pino";
import type { DatabaseLocation } from "../config/database-location.js";
import { keepCheckpoints } from "./embedded/embedded-checkpoints.js";
import { findDistribution } from "./find-distribution.js";
import { migrateToLatest } from "./migrate.js";
import {
  type Database,
  type DatabaseObserver,
  openDatabase,
  type ServedDatabase,
  useDatabase,
} from "./open-database.js";

/** Between attempts to reach the database: twice as long each time, and by chance up to half as long again. */
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

/** The database of a server that starts. */
export interface StartedDatabase {
  /** Everything that is asked of it fails with DatabaseUnavailableError until it is ready. */
  readonly database: ServedDatabase;
  /** Resolves when it can be used; rejects with what nothing but another server or another configuration mends. */
  readonly ready: Promise<void>;
  /** Resolves when it is ready, or could not be reached at the first attempt. Rejects as `ready` does. */
  readonly tried: Promise<void>;
}

/**
 * Opens and migrates a database. One on a PostgreSQL server that cannot be reached, or turns the user away, is tried for until it
 * can: whoever runs it may be about to start or to mend it.
 *
 * @throws UnusableDatabaseError if another server uses the embedded database's directory.
 */
export function startDatabase(location: DatabaseLocation, log: Logger, observer: DatabaseObserver): StartedDatabase {
  const open = (found: DatabaseLocation) => openDatabase(found, log, observer);
  if (location.kind === "postgres") return awaitDatabase(location, open, log);
  const embedded = open(location);
  const ready = migrate(embedded.kysely, log);
  const stopCheckpoints = keepCheckpoints(embedded.kysely, log);
  const database: ServedDatabase = {
    ...embedded,
    async close() {
      stopCheckpoints();
      await embedded.close();
    },
  };
  return { database, ready, tried: ready };
}

function awaitDatabase(
  location: DatabaseLocation,
  open: (location: DatabaseLocation) => Database,
  log: Logger,
): StartedDatabase {
  let opened: Database | undefined;
  const stop = new AbortController();
  const firstFailure = Promise.withResolvers<void>();
  const [db, reads] = [new AwaitedExecutor(), new AwaitedExecutor()];
  const ready = prepareUntilDone(location, log, firstFailure.resolve, stop.signal).then((found) => {
    opened = open(found);
    db.target = opened.db;
    reads.target = opened.reads;
  });
  const database: ServedDatabase = {
    db,
    reads,
    get pools() {
      return opened?.pools ?? [];
    },
    get isDistributed() {
      return opened?.isDistributed ?? false;
    },
    ping: () => opened?.ping() ?? rejectUnreached(),
    async close() {
      stop.abort();
      await ready.catch(() => {});
      await opened?.close();
    },
  };
  return { database, ready, tried: Promise.race([ready, firstFailure.promise]) };
}

/** Stands for a database that opens later. */
class AwaitedExecutor implements Executor {
  target: Executor = { run: rejectUnreached, transaction: rejectUnreached };

  run<R>(statement: CompiledStatement, values: readonly unknown[]): Promise<R[]> {
    return this.target.run<R>(statement, values);
  }

  transaction<T>(work: (transaction: Executor) => Promise<T>): Promise<T> {
    return this.target.transaction(work);
  }
}

async function rejectUnreached(): Promise<never> {
  throw new DatabaseUnavailableError("the database has not been reached yet");
}

/** Rejects when `stop` aborts between two attempts. */
async function prepareUntilDone(
  location: DatabaseLocation,
  log: Logger,
  onFailure: () => void,
  stop: AbortSignal,
): Promise<DatabaseLocation> {
  let lastReason: string | undefined;
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
    try {
      const found = await prepare(location, log, stop);
      if (lastReason !== undefined) log.info("connected to the database");
      return found;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      const reason = String(error);
      if (reason !== lastReason) log.warn({ err: error }, "the database is not available yet: retrying");
      lastReason = reason;
      onFailure();
    }
    await pause(pauseMs * (1 + Math.random() / 2), undefined, { signal: stop });
  }
}

/** Migrates the database, for as long as that takes, and finds out how it is distributed. */
async function prepare(location: DatabaseLocation, log: Logger, stop: AbortSignal): Promise<DatabaseLocation> {
  const found = await findDistribution(location);
  const patient = { ...found, statementTimeoutMs: 0 } as DatabaseLocation;
  await useDatabase(patient, undefined, ({ kysely }) => migrate(kysely, log, stop));
  return found;
}

async function migrate(db: Database["kysely"], log: Logger, signal?: AbortSignal): Promise<void> {
  const onBlocked = (reason: string) => log.warn({ reason }, "the schema cannot be migrated yet: retrying");
  const applied = await migrateToLatest(db, { onBlocked, signal });
  if (applied.length > 0) log.info({ applied }, "migrated the database");
}
