import { setTimeout as pause } from "node:timers/promises";
import type { Transaction } from "kysely";
import type { Schema } from "../database/tables/schema.js";
import { isDatabaseUnavailable, isTransient, OutcomeUnknownError } from "./postgres-error.js";
import type { Executor } from "./prepared-statement.js";

/** How often a transaction is begun at most, and after how long again, by chance up to twice that. */
const MOST_ATTEMPTS = 4;
const AGAIN_AFTER_MS = 10;

/**
 * Runs a transaction in which each statement sees what others have committed before it, and runs it again, a few times, when it
 * failed in a way that may pass and nothing of it is left: by a deadlock, or as its connection was lost before it was committed.
 *
 * @param work does nothing but statements, as it may be done more than once.
 * @throws the database's error; OutcomeUnknownError if nobody knows whether it was committed.
 */
export async function runTransaction<T>(
  db: Executor,
  work: (transaction: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel("read committed").execute(work);
    } catch (error) {
      const isOver = isTransient(error) || (isDatabaseUnavailable(error) && !(error instanceof OutcomeUnknownError));
      if (!isOver || attempt === MOST_ATTEMPTS) throw error;
    }
    await pause(AGAIN_AFTER_MS * attempt * (1 + Math.random()));
  }
}
