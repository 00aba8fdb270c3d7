import type { Executor } from "@calltrack/postgres";
import type { ChangeOrigin } from "../../database/tables/audit-table.js";
import { moveClock, readClock } from "../../pool-management/clock/clock-repository.js";
import { findNextDueTime } from "../../pool-management/pass-repository.js";
import type { PassRunner } from "../../pool-management/pass-runner.js";

/**
 * Advances the virtual clock, and runs due passes at each time at which a pool becomes due, as if the time had
 * passed.
 *
 * @param byMs the duration in milliseconds.
 * @param signal aborts before the end is reached.
 */
export async function advanceClock(
  db: Executor,
  byMs: number,
  runner: Pick<PassRunner, "runDue">,
  signal: AbortSignal,
  origin: ChangeOrigin,
): Promise<void> {
  const end = new Date((await readClock(db)).getTime() + byMs);
  for (;;) {
    signal.throwIfAborted();
    // The clock keeps running during passes. Reading it first ensures that no due time is skipped.
    const began = await readClock(db);
    await runner.runDue();
    const next = await findNextDueTime(db, began);
    if (next === undefined || next >= end) break;
    await moveClock(db, next, origin);
  }
  await moveClock(db, end, origin);
  await runner.runDue();
}
