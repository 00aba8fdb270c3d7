import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { findFirstEventAfter } from "../api/events/event-repository.js";
import { findPositionBefore } from "../api/events/find-position-before.js";
import { SettledPosition } from "../api/events/settled-position.js";
import { prepareStatement } from "../database/prepared-statement.js";

/** Positions deleted per statement. Short statements let other transactions run in between, and do not delay readers. */
const CHUNK = 1000n;

/**
 * Deletes the events that happened more than `keptMs` milliseconds ago. First stores the last position to delete, so that readers that lag
 * behind learn that they missed events.
 */
export async function deleteExpiredEvents(db: Executor, keptMs: number): Promise<void> {
  // With `isDistributed: false`, the search ignores commits that a Citus worker has not finished. These commits are newer than the events that
  // expire.
  const settled = await new SettledPosition({ db, isDistributed: false }).find();
  const last = await findPositionBefore(db, new Date(Date.now() - keptMs), settled);
  if (last === 0n) return;
  await storeLastDeletedStatement(db, { position: String(last) });
  for (;;) {
    const next = await findFirstEventAfter(db, 0n);
    if (next === undefined || BigInt(next.position) > last) return;
    const end = BigInt(next.position) + CHUNK;
    await deleteStatement(db, { from: next.position, until: String(end < last ? end : last) });
  }
}

const storeLastDeletedStatement = prepareStatement<{ position: string }, { name: string }>((db, parameter) =>
  db
    .updateTable("settings")
    .set({ value: sql<Buffer>`greatest(value, int8send(${parameter("position")}::bigint))` })
    .where("name", "=", sql.lit("last_deleted_event"))
    .returning("name"),
);

const deleteStatement = prepareStatement<{ from: string; until: string }, { position: string }>((db, parameter) =>
  db
    .deleteFrom("events")
    .where("position", ">=", sql<string>`${parameter("from")}::bigint`)
    .where("position", "<=", sql<string>`${parameter("until")}::bigint`)
    .returning("position"),
);
