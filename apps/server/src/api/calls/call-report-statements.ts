import type { CallGroupField } from "@calltrack/domain";
import type { Parameter } from "@calltrack/postgres";
import { type RawBuilder, sql } from "kysely";
import { BEFORE_ALL_IDS } from "../../database/page.js";
import { prepareStatement } from "../../database/prepared-statement.js";

/** The group of a row. A column is null if the report is not grouped by it, or if the calls have no such value. */
export interface GroupColumns {
  readonly source: string | null;
  readonly medium: string | null;
  readonly property_token: string | null;
  readonly pool_id: string | null;
  readonly tracking_number: string | null;
  readonly day: string | null;
  readonly hour: number | null;
}

/** The call counts of a group. */
export interface CallTotalsRow extends GroupColumns {
  readonly calls: number;
  readonly answered: number;
  readonly missed: number;
  readonly first_calls: number;
  readonly total_seconds: number;
}

interface ReportParameters {
  accountId: number;
  from: string;
  to: string;
  /** The columns that rows are grouped by: names of `GroupColumns`. */
  groupBy: readonly string[];
}

/** The column for each field that rows can be grouped by. */
export const GROUP_COLUMNS = {
  source: "source",
  medium: "medium",
  propertyToken: "property_token",
  poolId: "pool_id",
  trackingNumber: "tracking_number",
  day: "day",
  hour: "hour",
} as const satisfies Record<CallGroupField, keyof GroupColumns>;

/** Counts the calls of an account by group. See `reportCalls`. */
export const countCallsStatement = prepareStatement<
  ReportParameters & { timeZone: string; limit: number },
  CallTotalsRow
>((db, parameter) => {
  const startsAt = sql`(started_at at time zone ${parameter("timeZone")})`;
  return db
    .selectFrom((from) =>
      from
        .selectFrom("calls")
        .select([
          grouped(parameter, "source", sql<string>`source`),
          grouped(parameter, "medium", sql<string>`medium`),
          grouped(parameter, "property_token", sql<string>`property_token`),
          grouped(parameter, "pool_id", sql<string>`pool_id`),
          grouped(parameter, "tracking_number", sql<string>`tracking_number`),
          grouped(parameter, "day", sql<string>`${startsAt}::date`),
          grouped(parameter, "hour", sql<number>`extract(hour from ${startsAt})::integer`),
          "answered_at",
          "ended_at",
          "is_first_call",
          "duration_seconds",
        ])
        .where("account_id", "=", parameter("accountId"))
        // Row comparisons avoid a sort: for a plain time range, PostgreSQL expects few calls and plans to sort them.
        .where(sql<boolean>`(started_at, id) >= (${parameter("from")}::timestamptz, ${sql.lit(BEFORE_ALL_IDS)}::uuid)`)
        .where(sql<boolean>`(started_at, id) < (${parameter("to")}::timestamptz, ${sql.lit(BEFORE_ALL_IDS)}::uuid)`)
        .as("call"),
    )
    .select([
      "source",
      "medium",
      "property_token",
      "pool_id",
      "tracking_number",
      sql<string>`day::text`.as("day"),
      "hour",
    ])
    .select([
      sql<number>`count(*)::float8`.as("calls"),
      sql<number>`count(answered_at)::float8`.as("answered"),
      sql<number>`(count(*) filter (where ended_at is not null and answered_at is null))::float8`.as("missed"),
      sql<number>`(count(*) filter (where is_first_call))::float8`.as("first_calls"),
      sql<number>`coalesce(sum(duration_seconds), 0)::float8`.as("total_seconds"),
    ])
    .groupBy(["source", "medium", "property_token", "pool_id", "tracking_number", sql.ref("call.day"), "hour"])
    .limit(sql<number>`${parameter("limit")}`)
    .$castTo<CallTotalsRow>();
});

type VisitGroupColumns = Pick<GroupColumns, "source" | "medium" | "property_token" | "day">;

/** Counts the visits of an account by group. Visits without a stored source have a null source. See `reportCalls`. */
export const countVisitsStatement = prepareStatement<ReportParameters, VisitGroupColumns & { readonly visits: number }>(
  (db, parameter) => {
    const from = sql<string>`(${parameter("from")}::timestamptz at time zone 'UTC')::date`;
    const to = sql<string>`(${parameter("to")}::timestamptz at time zone 'UTC')::date`;
    return db
      .selectFrom((sources) =>
        sources
          .selectFrom("visit_counts")
          .select([
            grouped(parameter, "source", sql<string>`source`),
            grouped(parameter, "medium", sql<string>`medium`),
            grouped(parameter, "property_token", sql<string>`property_token`),
            grouped(parameter, "day", sql<string>`day`),
            "visits",
          ])
          .where("account_id", "=", parameter("accountId"))
          .where("day", ">=", from)
          .where("day", "<", to)
          .unionAll((days) =>
            days
              .selectFrom("visit_days")
              .select([sql<string>`null`.as("source"), sql<string>`null`.as("medium")])
              .select([grouped(parameter, "property_token", sql<string>`property_token`)])
              .select([grouped(parameter, "day", sql<string>`day`), "unattributed as visits"])
              .where("account_id", "=", parameter("accountId"))
              .where("day", ">=", from)
              .where("day", "<", to)
              .where("unattributed", ">", sql<string>`0`),
          )
          .as("counted"),
      )
      .select(["source", "medium", "property_token", sql<string>`day::text`.as("day")])
      .select(sql<number>`sum(visits)::float8`.as("visits"))
      .groupBy(["source", "medium", "property_token", sql.ref("counted.day")])
      .$castTo<VisitGroupColumns & { readonly visits: number }>();
  },
);

function grouped<N extends keyof GroupColumns, T>(
  parameter: Parameter<ReportParameters>,
  name: N,
  value: RawBuilder<T>,
) {
  return sql<T | null>`case when ${sql.lit(name)} = any(${parameter("groupBy")}::text[]) then ${value} end`.as(name);
}
