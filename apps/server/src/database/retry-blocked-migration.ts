import { setTimeout as pause } from "node:timers/promises";
import { UnusableDatabaseError } from "../errors/unusable-database-error.js";

/** How long a migration waits for other database sessions. */
export interface MigrationWaitLimits {
  /** The timeout for acquiring a table lock in one attempt. Other sessions that need the same table queue behind the attempt. */
  readonly lockTimeoutMs: number;
  /** How long to retry while other sessions lock tables. */
  readonly maxLockWaitMs: number;
  /** How long to retry while another server migrates the database. Waiting for that server blocks no requests. */
  readonly maxMigrationWaitMs: number;
}

const LIMITS: MigrationWaitLimits = { lockTimeoutMs: 2000, maxLockWaitMs: 5 * 60_000, maxMigrationWaitMs: 60 * 60_000 };

export interface MigrationOptions {
  /** Called when the migration is blocked, and again whenever the reason changes. The reason is a single line. */
  readonly onBlocked?: ((reason: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly limits?: MigrationWaitLimits | undefined;
}

/** The result of an attempt that had no effect, because a table is locked or another server is migrating. */
export interface BlockedMigrationAttempt {
  readonly waitsFor: "migration" | "lock";
  /** Why the attempt had no effect, as a single line for the operator. */
  readonly reason: string;
}

/** The minimum delay between two attempts. A random delay of up to the same length is added. */
const RETRY_DELAY_MS = 250;

/**
 * Repeats a migration attempt until it is not blocked.
 *
 * @param attempt tries to migrate. It must have no effect if it is blocked.
 * @throws UnusableDatabaseError after the maximum wait; an AbortError if `signal` aborts; or the error of an attempt.
 */
export async function retryBlockedMigration<T>(
  attempt: (lockTimeoutMs: number) => Promise<{ readonly done: T } | BlockedMigrationAttempt>,
  { onBlocked, signal, limits = LIMITS }: MigrationOptions,
): Promise<T> {
  let begin = performance.now();
  let waitsFor: BlockedMigrationAttempt["waitsFor"] | undefined;
  for (let lastReason = ""; ; await pause(RETRY_DELAY_MS * (1 + Math.random()), undefined, { signal })) {
    const outcome = await attempt(limits.lockTimeoutMs);
    if ("done" in outcome) return outcome.done;
    if (outcome.reason !== lastReason) onBlocked?.(outcome.reason);
    lastReason = outcome.reason;
    // Restarts the wait if the cause changes, because locked tables and migrating servers have separate maximum waits.
    if (outcome.waitsFor !== waitsFor) begin = performance.now();
    ({ waitsFor } = outcome);
    const maxWaitMs = outcome.waitsFor === "migration" ? limits.maxMigrationWaitMs : limits.maxLockWaitMs;
    if (performance.now() - begin < maxWaitMs) continue;
    throw new UnusableDatabaseError(
      `the database was not migrated within ${maxWaitMs} ms: ${outcome.reason}: end that session or wait until it has ` +
        "ended, and start calltrack-server again",
    );
  }
}
