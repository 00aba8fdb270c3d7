import type { Executor } from "@calltrack/postgres";
import type { ChangeOrigin } from "../../database/tables/audit-table.js";
import { moveClockStatement, readClockStatement } from "./clock-statements.js";

/** Reads the pool clock. */
export async function readClock(db: Executor): Promise<Date> {
  const [row] = await readClockStatement(db, {});
  // A select without a table always returns one row.
  return (row as { now: Date }).now;
}

/** Moves the virtual clock forward to a time; never moves it back. */
export async function moveClock(db: Executor, to: Date, origin: ChangeOrigin): Promise<void> {
  await moveClockStatement(db, { to, origin: JSON.stringify(origin) });
}
