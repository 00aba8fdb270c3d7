import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import type { Schema } from "../database/tables/schema.js";

/**
 * Makes the pool clock of the database real or virtual, and logs the offset if the clock was moved ahead of the real time. A virtual clock applies
 * this offset, and a real clock ignores it.
 */
export async function applyClockSetting(db: Kysely<Schema>, isVirtual: boolean, log: Logger): Promise<void> {
  const { rows } = await sql<{ ahead: string; is_ahead: boolean; is_applied: boolean }>`
    select advanced::text as ahead, advanced > '0' as is_ahead, is_applied from clock`.execute(db);
  // The migrations create this row.
  const { ahead, is_ahead, is_applied } = rows[0] as (typeof rows)[number];
  if (is_applied !== isVirtual) await db.updateTable("clock").set({ is_applied: isVirtual }).execute();
  if (!is_ahead) return;
  if (isVirtual) log.info({ ahead }, "the virtual clock is ahead of the real time");
  else {
    log.warn(
      { ahead },
      "CLOCK=real ignores that the clock was moved ahead while CLOCK was virtual: rest periods, grace periods and visits that were stored with the virtual clock " +
        "have future times. In tests, set CLOCK=virtual to continue at the virtual time",
    );
  }
}
