import { sql } from "kysely";
import { statementTime } from "../clock/current-time.js";
import { prepareStatement } from "../storage/prepared-statement.js";
import { firstDay } from "./source-statements.js";
import type { DayKey } from "./visit-statements.js";

/** See `thinOutDay`. */
export const thinOutStatement = prepareStatement<
  { accountId: number; propertyToken: string; day: string; kept: number },
  { sources: number }
>((db, parameter) =>
  db
    .with("crowded", (cte) =>
      cte
        .selectFrom("visit_days")
        .select("sources")
        .where("account_id", "=", parameter("accountId"))
        .where("property_token", "=", parameter("propertyToken"))
        .where("day", "=", sql<string>`${parameter("day")}::date`)
        .forNoKeyUpdate(),
    )
    .with("rare", (cte) =>
      cte
        .selectFrom("visit_counts")
        .select(["account_id", "property_token", "day", "source", "medium"])
        .where("account_id", "=", parameter("accountId"))
        .where("property_token", "=", parameter("propertyToken"))
        .where("day", "=", sql<string>`${parameter("day")}::date`)
        .orderBy("visits")
        .limit(sql<number>`(select greatest(sources - ${parameter("kept")}, 0) from crowded)`)
        .forUpdate()
        // Those who count one of them hold its row and may wait for that of the day, which is locked here.
        .skipLocked(),
    )
    .with("dropped", (cte) =>
      cte
        .deleteFrom("visit_counts as count")
        .using("rare")
        .whereRef("count.account_id", "=", "rare.account_id")
        .whereRef("count.property_token", "=", "rare.property_token")
        .whereRef("count.day", "=", "rare.day")
        .whereRef("count.source", "=", "rare.source")
        .whereRef("count.medium", "=", "rare.medium")
        .returning("count.visits"),
    )
    .updateTable("visit_days")
    .from((from) =>
      from
        .selectFrom("dropped")
        .select([sql<number>`count(*)`.as("dropped_sources"), sql<string>`sum(visits)`.as("dropped_visits")])
        .as("dropped"),
    )
    .set({
      sources: sql<number>`sources - dropped_sources`,
      unattributed: sql<string>`unattributed + dropped_visits`,
    })
    .where("account_id", "=", parameter("accountId"))
    .where("property_token", "=", parameter("propertyToken"))
    .where("day", "=", sql<string>`${parameter("day")}::date`)
    .where("dropped_sources", ">", sql.lit(0))
    .returning("sources"),
);

/** Forgets the oldest of the records that were counted so long ago that they do not come again. */
export const deleteEventsStatement = prepareStatement<{ keptMs: number; most: number }, { account_id: number }>(
  (db, parameter) =>
    db
      .with("old", (cte) =>
        cte
          .selectFrom("visit_events")
          .select(["account_id", "event_key"])
          .where(
            "recorded_at",
            "<",
            sql<Date>`${statementTime} - ${parameter("keptMs")}::float8 * interval '1 millisecond'`,
          )
          .orderBy("recorded_at")
          .limit(sql<number>`${parameter("most")}`)
          .forUpdate()
          .skipLocked(),
      )
      .deleteFrom("visit_events as event")
      .using("old")
      .whereRef("event.account_id", "=", "old.account_id")
      .whereRef("event.event_key", "=", "old.event_key")
      .returning("event.account_id"),
);

/**
 * Deletes days that nobody counts for any more, with their counts. The day before the window is kept, as a request that was
 * read just before midnight may still count for it.
 */
export const deleteDaysStatement = prepareStatement<{ windowDays: number; most: number }, Pick<DayKey, "account_id">>(
  (db, parameter) =>
    db
      .with("old", (cte) =>
        cte
          .selectFrom("visit_days")
          .select(["account_id", "property_token", "day"])
          .where("day", "<", sql<string>`${firstDay(parameter)} - 1`)
          .orderBy("day")
          .limit(sql<number>`${parameter("most")}`)
          .forUpdate()
          .skipLocked(),
      )
      .with("counts", (cte) =>
        cte
          .deleteFrom("visit_counts as count")
          .using("old")
          .whereRef("count.account_id", "=", "old.account_id")
          .whereRef("count.property_token", "=", "old.property_token")
          .whereRef("count.day", "=", "old.day")
          .returning("count.account_id"),
      )
      .deleteFrom("visit_days as day")
      .using("old")
      .whereRef("day.account_id", "=", "old.account_id")
      .whereRef("day.property_token", "=", "old.property_token")
      .whereRef("day.day", "=", "old.day")
      .returning("day.account_id"),
);
