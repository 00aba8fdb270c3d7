import { setTimeout as pause } from "node:timers/promises";
import { UnusableDatabaseError } from "../errors/unusable-database-error.js";

/** How long a migration waits for other sessions. */
export interface MigrationLimits {
  /** Timeout of each attempt to acquire a lock. Other sessions that need the same table queue behind the attempt. */
  readonly lockTimeoutMs: number;
  /** How long to retry while tables are locked. */
  readonly maxLockWaitMs: number;
  /** How long to retry while another server migrates the database, which blocks no requests. */
  readonly maxMigrationWaitMs: number;
}

const LIMITS: MigrationLimits = { lockTimeoutMs: 2000, maxLockWaitMs: 5 * 60_000, maxMigrationWaitMs: 60 * 60_000 };

export interface MigrationOptions {
  /** Called when the migration is blocked, and again whenever the reason changes. The reason has one line. */
  readonly onBlocked?: ((reason: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly limits?: MigrationLimits | undefined;
}

/** An attempt that had no effect, because a table is locked or another server is migrating. */
export interface BlockedAttempt {
  readonly waitsFor: "migration" | "lock";
  /** One line. */
  readonly reason: string;
}

/** Delay between two attempts; a random part up to the same length is added. */
const RETRY_DELAY_MS = 250;

/**
 * Retries an attempt until it is not blocked.
 *
 * @param attempt must have no effect if it is blocked.
 * @throws UnusableDatabaseError after the maximum wait, an AbortError, or the error of an attempt.
 */
export async function retryWhileBlocked<T>(
  attempt: (lockTimeoutMs: number) => Promise<{ readonly done: T } | BlockedAttempt>,
  { onBlocked, signal, limits = LIMITS }: MigrationOptions,
): Promise<T> {
  let begin = performance.now();
  let waitsFor: BlockedAttempt["waitsFor"] | undefined;
  for (let lastReason = ""; ; await pause(RETRY_DELAY_MS * (1 + Math.random()), undefined, { signal })) {
    const outcome = await attempt(limits.lockTimeoutMs);
    if ("done" in outcome) return outcome.done;
    if (outcome.reason !== lastReason) onBlocked?.(outcome.reason);
    lastReason = outcome.reason;
    // Locked tables and migrating servers have separate maximum waits.
    if (outcome.waitsFor !== waitsFor) begin = performance.now();
    ({ waitsFor } = outcome);
    const maxWaitMs = outcome.waitsFor === "migration" ? limits.maxMigrationWaitMs : limits.maxLockWaitMs;
    if (performance.now() - begin < maxWaitMs) continue;
    throw new UnusableDatabaseError(
      `the database was not migrated within ${maxWaitMs} ms: ${outcome.reason}: end that session or wait until it has ` +
        "ended, and start again",
    );
  }
}
