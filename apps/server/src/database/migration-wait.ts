import { setTimeout as pause } from "node:timers/promises";
import { UnusableDatabaseError } from "../errors/unusable-database-error.js";

/** How long a migration waits for others. */
export interface MigrationLimits {
  /** How long it stands in line for a lock: others that need the same table stand in line behind it. */
  readonly lockTimeoutMs: number;
  /** For how long it is tried again when it did not get its locks. */
  readonly lockPatienceMs: number;
  /** For how long it is tried again while another server migrates the database, which holds up nobody. */
  readonly turnPatienceMs: number;
}

const LIMITS: MigrationLimits = { lockTimeoutMs: 2000, lockPatienceMs: 5 * 60_000, turnPatienceMs: 60 * 60_000 };

/** What whoever migrates a database may tell, and wants to be told. */
export interface MigrationWait {
  /** Is told in one line what the migration waits for, whenever that is something else than before. */
  readonly onBlocked?: ((reason: string) => void) | undefined;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
  readonly limits?: MigrationLimits | undefined;
}

/** Another has the turn, or the lock. */
export interface Blocked {
  readonly waitsFor: "turn" | "lock";
  /** One line. */
  readonly reason: string;
}

/** Between two attempts, by chance up to twice as long. */
const AGAIN_AFTER_MS = 250;

/**
 * Makes attempts until one is not blocked.
 *
 * @param attempt has no effect if it is blocked.
 * @throws UnusableDatabaseError when its patience ends, an AbortError, and what an attempt throws.
 */
export async function attemptUntilFree<T>(
  attempt: (lockTimeoutMs: number) => Promise<{ readonly done: T } | Blocked>,
  { onBlocked, signal, limits = LIMITS }: MigrationWait,
): Promise<T> {
  const begin = performance.now();
  for (let lastReason = ""; ; await pause(AGAIN_AFTER_MS * (1 + Math.random()), undefined, { signal })) {
    const outcome = await attempt(limits.lockTimeoutMs);
    if ("done" in outcome) return outcome.done;
    if (outcome.reason !== lastReason) onBlocked?.(outcome.reason);
    lastReason = outcome.reason;
    const patienceMs = outcome.waitsFor === "turn" ? limits.turnPatienceMs : limits.lockPatienceMs;
    if (performance.now() - begin < patienceMs) continue;
    throw new UnusableDatabaseError(
      `the database was not migrated within ${patienceMs} ms: ${outcome.reason}: end that session or wait until it has ` +
        "ended, and start again",
    );
  }
}
