import type { ParameterGetter } from "@calltrack/postgres";
import { type RawBuilder, sql } from "kysely";
import { clockNowSubqueryExpression } from "../../clock/clock.js";
import { prepareStatement } from "../../database/prepared-statement.js";
import { buildWindowStartDayExpression } from "../../pool-management/source-repository.js";
import type { VisitDayKey } from "./visit-statements.js";

/** Drops the sources with the fewest visits on a day, until `kept` are left; see `prune`. */
export const pruneVisitSourcesStatement = prepareStatement<VisitDayKey & { kept: number }, { sources: number }>(
  (db, parameter) =>
    db
      .with("crowded", (cte) =>
        cte.selectFrom("visit_days").select("sources").where(isOfDay(parameter)).forNoKeyUpdate(),
      )
      .with("rare", (cte) =>
        cte
          .selectFrom("visit_counts")
          .select(["source", "medium"])
          .where(isOfDay(parameter))
          .orderBy("visits")
          .limit(sql<number>`(select greatest(sources - ${parameter("kept")}, 0) from crowded)`)
          .forUpdate()
          // Avoids a deadlock: a transaction that counts visits first locks a row of `visit_counts`. It may then wait for the row of `visit_days`
          // that `crowded` locks.
          .skipLocked(),
      )
      .with("dropped", (cte) =>
        cte
          .deleteFrom("visit_counts as count")
          .using("rare")
          .where(isOfDay(parameter))
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
      .where(isOfDay(parameter))
      .where("dropped_sources", ">", sql.lit(0))
      .returning("sources"),
);

/**
 * Drops the properties without pools that have the fewest visits on a day; see `prune`. Does nothing unless one of the given properties has no pool,
 * and the day has more than `maxProperties` properties without pools. Skips locked rows to avoid a deadlock: transactions that count visits lock rows
 * of `visit_counts` before rows of `visit_days`.
 */
export const pruneVisitPropertiesStatement = prepareStatement<
  { accountId: number; day: string; propertyTokens: readonly string[]; maxProperties: number },
  Pick<VisitDayKey, "property_token">
>((db, parameter) => {
  const day = sql<string>`${parameter("day")}::date`;
  const poolOf = (property: RawBuilder<string>) =>
    db
      .selectFrom("pools as pool")
      .select(sql<true>`true`.as("is_found"))
      .where("pool.account_id", "=", parameter("accountId"))
      .where("pool.property_token", "=", property)
      .limit(sql.lit(1));
  return db
    .with("stray", (cte) =>
      cte
        .selectFrom("visit_days as visited")
        .select("visited.property_token")
        .where("visited.account_id", "=", parameter("accountId"))
        .where("visited.day", "=", day)
        .where(poolOf(sql.ref("visited.property_token")), "is", null)
        .where(
          sql<boolean>`exists (select from unnest(${parameter("propertyTokens")}::text[]) as property (token)
            where (${poolOf(sql.ref("property.token"))}) is null)`,
        ),
    )
    .with("rare", (cte) =>
      cte
        .selectFrom("stray")
        .select("property_token")
        .orderBy(({ selectFrom }) =>
          selectFrom("visit_counts as count")
            .select(({ fn }) => fn.sum("visits").as("visits"))
            .where("count.account_id", "=", parameter("accountId"))
            .whereRef("count.property_token", "=", "stray.property_token")
            .where("count.day", "=", day),
        )
        .limit(
          sql<number>`(select case when count(*) > ${parameter("maxProperties")} then count(*) - ${parameter("maxProperties")} / 2 else 0 end from stray)`,
        ),
    )
    .with("crowd", (cte) =>
      cte
        .selectFrom("rare")
        .innerJoin("visit_days as visited", "visited.property_token", "rare.property_token")
        // `forUpdate` makes PostgreSQL read the current values of these columns, not those in the statement's snapshot.
        .select(["visited.property_token", "visited.sources"])
        .where("visited.account_id", "=", parameter("accountId"))
        .where("visited.day", "=", day)
        .forUpdate("visited")
        .skipLocked(),
    )
    .with("counted", (cte) =>
      cte
        .selectFrom("crowd")
        .innerJoin("visit_counts as count", "count.property_token", "crowd.property_token")
        .select(["count.property_token", "count.source", "count.medium"])
        .where("count.account_id", "=", parameter("accountId"))
        .where("count.day", "=", day)
        .forUpdate("count")
        .skipLocked(),
    )
    .with("dropped", (cte) =>
      cte
        .deleteFrom("visit_counts as count")
        .using("counted")
        .where("count.account_id", "=", parameter("accountId"))
        .whereRef("count.property_token", "=", "counted.property_token")
        .where("count.day", "=", day)
        .whereRef("count.source", "=", "counted.source")
        .whereRef("count.medium", "=", "counted.medium")
        .returning("count.property_token"),
    )
    .with("sum", (cte) =>
      cte
        .selectFrom("dropped")
        .innerJoin("crowd", "crowd.property_token", "dropped.property_token")
        .select(["crowd.property_token", "crowd.sources", sql<number>`count(*)`.as("dropped")])
        .groupBy(["crowd.property_token", "crowd.sources"]),
    )
    .with("left_over", (cte) =>
      cte
        .updateTable("visit_days as visited")
        .from("sum")
        .set({ sources: sql<number>`visited.sources - sum.dropped` })
        .where("visited.account_id", "=", parameter("accountId"))
        .whereRef("visited.property_token", "=", "sum.property_token")
        .where("visited.day", "=", day)
        .whereRef("sum.sources", ">", "sum.dropped")
        .returning("visited.property_token"),
    )
    .deleteFrom("visit_days as visited")
    .using("sum")
    .where("visited.account_id", "=", parameter("accountId"))
    .whereRef("visited.property_token", "=", "sum.property_token")
    .where("visited.day", "=", day)
    .whereRef("sum.sources", "=", "sum.dropped")
    .returning("visited.property_token");
});

/** Deletes the oldest expired event ids, at most `limit`. */
export const deleteVisitEventsStatement = prepareStatement<{ keptMs: number; limit: number }, { account_id: number }>(
  (db, parameter) =>
    db
      .with("old", (cte) =>
        cte
          .selectFrom("visit_events")
          .select(["account_id", "event_key"])
          .where(
            "recorded_at",
            "<",
            sql<Date>`${clockNowSubqueryExpression} - ${parameter("keptMs")}::float8 * interval '1 millisecond'`,
          )
          .orderBy("recorded_at")
          .limit(sql<number>`${parameter("limit")}`),
      )
      .deleteFrom("visit_events as event")
      .using("old")
      .whereRef("event.account_id", "=", "old.account_id")
      .whereRef("event.event_key", "=", "old.event_key")
      .returning("event.account_id"),
);

/** Returns days before the visit window, except for the last such day: a request from just before midnight may still count visits on it. */
export const listExpiredVisitDaysStatement = prepareStatement<{ windowDays: number; limit: number }, VisitDayKey>(
  (db, parameter) =>
    db
      .selectFrom("visit_days")
      .select(["account_id", "property_token", sql<string>`day::text`.as("day")])
      .where("day", "<", sql<string>`${buildWindowStartDayExpression(parameter)} - 1`)
      .orderBy("visit_days.day")
      .limit(sql<number>`${parameter("limit")}`),
);

/** Deletes one day of a property, with the visit counts of that day. */
export const deleteVisitDayStatement = prepareStatement<VisitDayKey, Pick<VisitDayKey, "account_id">>((db, parameter) =>
  db
    .with("counts", (cte) => cte.deleteFrom("visit_counts").where(isOfDay(parameter)).returning("account_id"))
    .deleteFrom("visit_days")
    .where(isOfDay(parameter))
    .returning("account_id"),
);

function isOfDay(parameter: ParameterGetter<VisitDayKey>) {
  return sql<boolean>`(account_id = ${parameter("account_id")} and property_token = ${parameter("property_token")}
    and day = ${parameter("day")}::date)`;
}
