import type { Executor } from "@calltrack/postgres";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { moveClock, readClock } from "../../pool-management/clock.js";
import { findNextDueTime } from "../../pool-management/pass-repository.js";
import type { PassRunner } from "../../pool-management/pass-runner.js";

/**
 * Moves the clock forward, and stops at every moment at which a pool is due, as if time had passed by itself.
 *
 * @param signal stops it before the end.
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
    // The clock goes on while pools are managed: what becomes due meanwhile is not to be passed by.
    const began = await readClock(db);
    await runner.runDue();
    const next = await findNextDueTime(db, began);
    if (next === undefined || next >= end) break;
    await moveClock(db, next, origin);
  }
  await moveClock(db, end, origin);
  await runner.runDue();
}
