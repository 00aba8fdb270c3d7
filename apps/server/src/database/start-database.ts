import { setTimeout as pause } from "node:timers/promises";
import {
  type CompiledStatement,
  DatabaseUnavailableError,
  type Executor,
  isDatabaseUnavailable,
  runWithDeadline,
} from "@calltrack/postgres";
import type { Logger } from "pino";
import type { Config } from "../config/config.js";
import type { DatabaseLocation } from "../config/database-location.js";
import { detectCitusDistribution } from "./detect-citus-distribution.js";
import { scheduleCheckpoints } from "./embedded/embedded-checkpoints.js";
import { migrateToLatest } from "./migrate.js";
import { type Database, type DatabaseHandle, type DatabaseObserver, openDatabase } from "./open-database.js";
import { withMigratedDatabase } from "./with-migrated-database.js";

/**
 * The delay after the first failed attempt to connect to the database. The delay doubles after each further attempt, and up to half of it is added at
 * random.
 */
const MIN_RETRY_DELAY_MS = 100;
const MAX_RETRY_DELAY_MS = 5000;

/** The database of a starting server, which may be unavailable at first. */
export interface StartedDatabase {
  /** Until the database is ready, rejects all statements with a DatabaseUnavailableError. */
  readonly database: DatabaseHandle;
  /** Resolves when the database has been migrated and can be used. Rejects with an error that retries cannot fix. */
  readonly ready: Promise<void>;
  /** Resolves when the database is ready, or when it was unavailable in the first attempt. Otherwise, rejects like `ready`. */
  readonly firstAttempt: Promise<void>;
}

/**
 * Opens and migrates a database. Retries until the PostgreSQL server is reachable and accepts the login, because an operator may still be
 * starting or repairing that server.
 *
 * @param applySettings called after the migration, to store settings of this server in the database.
 * @throws ConfigError if another process uses the embedded database's directory; UnusableDatabaseError if the directory is unusable.
 */
export function startDatabase(
  { database: location }: Pick<Config, "database">,
  log: Logger,
  observer: DatabaseObserver,
  applySettings: (db: Database["kysely"]) => Promise<void>,
): StartedDatabase {
  const open = (found: DatabaseLocation) => openDatabase(found, log, observer);
  const prepare = async (db: Database["kysely"], applied: readonly string[]) => {
    if (applied.length > 0) log.info({ applied }, "migrated the database");
    await applySettings(db);
  };
  if (location.kind === "postgres") return awaitDatabase(location, open, prepare, log);
  const embedded = open(location);
  const ready = migrateToLatest(embedded.kysely).then((applied) => prepare(embedded.kysely, applied));
  const stopCheckpoints = scheduleCheckpoints(embedded.kysely, log);
  const database: DatabaseHandle = {
    ...embedded,
    async close() {
      stopCheckpoints();
      await embedded.close();
    },
  };
  return { database, ready, firstAttempt: ready };
}

/** Logs the migrations that were applied to a database, and stores settings in the database. */
type Preparation = (db: Database["kysely"], applied: readonly string[]) => Promise<void>;

function awaitDatabase(
  location: DatabaseLocation,
  open: (location: DatabaseLocation) => Database,
  prepare: Preparation,
  log: Logger,
): StartedDatabase {
  let opened: Database | undefined;
  const stop = new AbortController();
  const firstFailure = Promise.withResolvers<void>();
  const current = () => opened?.db ?? UNREACHED;
  const db: Executor = {
    run: <R>(statement: CompiledStatement, values: readonly unknown[]) => current().run<R>(statement, values),
    transaction: (work) => current().transaction(work),
  };
  const ready = prepareUntilDone(location, prepare, log, firstFailure.resolve, stop.signal).then((found) => {
    opened = open(found);
  });
  const database: DatabaseHandle = {
    db,
    get connectionPools() {
      return opened?.connectionPools ?? [];
    },
    get isDistributed() {
      return opened?.isDistributed ?? false;
    },
    maxReportedCalls: undefined,
    ping: () => opened?.ping() ?? rejectUnreached(),
    async close() {
      stop.abort();
      await ready.catch(() => {});
      await opened?.close();
    },
  };
  return { database, ready, firstAttempt: Promise.race([ready, firstFailure.promise]) };
}

/** The executor of a database to which the server has not connected yet. It rejects all statements. */
const UNREACHED: Executor = { run: rejectUnreached, transaction: rejectUnreached };

async function rejectUnreached(): Promise<never> {
  throw new DatabaseUnavailableError("the database has not been reached yet");
}

/** Retries until the database is migrated and prepared. If `stop` aborts, cancels a running statement and rejects. */
async function prepareUntilDone(
  location: DatabaseLocation,
  prepare: Preparation,
  log: Logger,
  onFailure: () => void,
  stop: AbortSignal,
): Promise<DatabaseLocation> {
  let lastReason: string | undefined;
  for (let delayMs = MIN_RETRY_DELAY_MS; ; delayMs = Math.min(MAX_RETRY_DELAY_MS, 2 * delayMs)) {
    try {
      const found = await runWithDeadline(stop, () => reach(location, prepare, log, stop));
      if (lastReason !== undefined) log.info("connected to the database");
      return found;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      const reason = String(error);
      if (reason !== lastReason) log.warn({ err: error }, "the database is not available yet: retrying");
      lastReason = reason;
      onFailure();
    }
    await pause(delayMs * (1 + Math.random() / 2), undefined, { signal: stop });
  }
}

/** Detects whether the database is distributed over a Citus cluster, then migrates and prepares the database. */
async function reach(
  location: DatabaseLocation,
  prepare: Preparation,
  log: Logger,
  stop: AbortSignal,
): Promise<DatabaseLocation> {
  const found = await detectCitusDistribution(location);
  await withMigratedDatabase(found, log, stop, ({ kysely }, applied) => prepare(kysely, applied));
  return found;
}
