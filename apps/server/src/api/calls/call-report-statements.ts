import type { CallGroupTotals, CallReportGroup, CallReportGroupField, VisitGroupTotals } from "@calltrack/domain";
import { createStatementFactory, type PreparedStatement, type StatementBuilder } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareStatement } from "../../database/prepared-statement.js";
import type { Schema } from "../../database/tables/schema.js";

/** A field that a report can group by. The database does not store the channel, which is computed from other fields. */
export type StoredGroupByField = Exclude<CallReportGroupField, "channel">;

/** The values that identify a group. A value is null if the calls have none, and absent if the report is not grouped by the field. */
export type ReportGroupRow = { readonly [F in StoredGroupByField]?: CallReportGroup[F] | null };

export type CallTotalsRow = ReportGroupRow & Omit<CallGroupTotals, "group">;

export type VisitTotalsRow = ReportGroupRow & Omit<VisitGroupTotals, "group">;

/** A part of a report: the calls of an account that start at or after `from` and before `to`, both in ISO 8601. */
export interface ReportSliceParameters {
  accountId: number;
  from: string;
  to: string;
}

interface ReportParameters extends ReportSliceParameters {
  /** The maximum number of groups to return. */
  limit: number;
}

/** The column for each field that rows can be grouped by. */
const GROUP_COLUMNS = {
  source: "source",
  medium: "medium",
  propertyToken: "property_token",
  poolId: "pool_id",
  trackingNumber: "tracking_number",
  day: "day",
  hour: "hour",
} as const satisfies Record<StoredGroupByField, string>;

/**
 * Makes PostgreSQL plan the other statements of the transaction for the values of their parameters. A generic plan always reads an index, but
 * a report on most calls is much faster if PostgreSQL scans the table in parallel.
 */
export const forceCustomPlansStatement = prepareStatement<object, object>((db) =>
  db.selectNoFrom([
    sql`set_config('plan_cache_mode', 'force_custom_plan', true)`.as("plan_cache_mode"),
    sql`set_config('enable_seqscan', 'on', true)`.as("enable_seqscan"),
  ]),
);

/** Skips the first `calls` calls that start after `from` and before `to`. Returns the start of the next call; no row if there is none. */
export const findReportSliceEndStatement = prepareStatement<
  ReportSliceParameters & { calls: number },
  { started_at: Date }
>((db, parameter) =>
  db
    .selectFrom("calls")
    .select("started_at")
    .where("account_id", "=", parameter("accountId"))
    .where("started_at", ">", sql<Date>`${parameter("from")}::timestamptz`)
    .where("started_at", "<", sql<Date>`${parameter("to")}::timestamptz`)
    .orderBy("started_at")
    .orderBy("id")
    .offset(sql<number>`${parameter("calls")}`)
    .limit(1),
);

/** A voicemail counts as neither answered nor missed, although an imported voicemail may have an `answered_at`. */
const IS_VOICEMAIL = sql`outcome = 'voicemail'`;

/** The `answered_at` of an answered call is null if nobody reported that time. */
const IS_ANSWERED = sql`((answered_at is not null or outcome = 'answered') and not ${IS_VOICEMAIL})`;

const IS_OVER = sql`outcome <> 'in_progress'`;

const IS_UNKNOWN = sql`(outcome = 'missed' and coalesce(outcome_detail, '') = 'unknown')`;

/** Returns the statement that counts an account's calls by the given fields. See `reportCalls`. */
export const getCallCountStatement = buildByGroup<ReportParameters & { timeZone: string }, CallTotalsRow>(
  Object.keys(GROUP_COLUMNS) as StoredGroupByField[],
  (fields) => (db, parameter) => {
    const startsAt = sql`(started_at at time zone ${parameter("timeZone")})`;
    return db
      .selectFrom((from) =>
        from
          .selectFrom("calls")
          .select(["source", "medium", "property_token", "pool_id", "tracking_number"])
          .select([sql`${startsAt}::date`.as("day"), sql`extract(hour from ${startsAt})::integer`.as("hour")])
          .select(["answered_at", "outcome", "outcome_detail", "is_first_call", "duration_seconds"])
          .where("account_id", "=", parameter("accountId"))
          .where("started_at", ">=", sql<Date>`${parameter("from")}::timestamptz`)
          .where("started_at", "<", sql<Date>`${parameter("to")}::timestamptz`)
          .as("call"),
      )
      .select(fields.map(selectGroup))
      .select([
        sql<number>`count(*)::float8`.as("calls"),
        sql<number>`(count(*) filter (where ${IS_ANSWERED}))::float8`.as("answered"),
        sql<number>`(count(*) filter (where ${IS_OVER} and not ${IS_ANSWERED} and not ${IS_UNKNOWN} and not ${IS_VOICEMAIL}))::float8`.as(
          "missed",
        ),
        sql<number>`(count(*) filter (where outcome = 'missed' and outcome_detail = 'abandoned'))::float8`.as(
          "abandoned",
        ),
        sql<number>`(count(*) filter (where ${IS_UNKNOWN}))::float8`.as("unknown"),
        sql<number>`(count(*) filter (where ${IS_VOICEMAIL}))::float8`.as("voicemail"),
        sql<number>`(count(duration_seconds) filter (where ${IS_ANSWERED}))::float8`.as("timed"),
        sql<number>`(count(*) filter (where is_first_call))::float8`.as("firstCalls"),
        sql<number>`coalesce(sum(duration_seconds) filter (where ${IS_ANSWERED}), 0)::float8`.as("totalSeconds"),
      ])
      .$if(fields.length > 0, (counts) =>
        counts.groupBy(fields.map((field) => sql.ref(`call.${GROUP_COLUMNS[field]}`))),
      )
      .limit(sql<number>`${parameter("limit")}`)
      .$castTo<CallTotalsRow>();
  },
);

/**
 * Returns the statement that counts an account's visits by the given fields, which must be fields of visits. Visits without a stored source
 * have a null source. See `reportCalls`.
 */
export const getVisitCountStatement = buildByGroup<ReportParameters, VisitTotalsRow>(
  ["source", "medium", "propertyToken", "day"],
  (fields) => (db, parameter) => {
    const from = sql<string>`(${parameter("from")}::timestamptz at time zone 'UTC')::date`;
    const to = sql<string>`(${parameter("to")}::timestamptz at time zone 'UTC')::date`;
    return db
      .selectFrom((sources) =>
        sources
          .selectFrom("visit_counts")
          .select(["source", "medium", "property_token", "day", "visits"])
          .where("account_id", "=", parameter("accountId"))
          .where("day", ">=", from)
          .where("day", "<", to)
          .unionAll((days) =>
            days
              .selectFrom("visit_days")
              .select([sql<string>`null`.as("source"), sql<string>`null`.as("medium"), "property_token", "day"])
              .select("unattributed as visits")
              .where("account_id", "=", parameter("accountId"))
              .where("day", ">=", from)
              .where("day", "<", to)
              .where("unattributed", ">", sql<string>`0`),
          )
          .as("counted"),
      )
      .select(fields.map(selectGroup))
      .select(sql<number>`coalesce(sum(visits), 0)::float8`.as("visits"))
      .$if(fields.length > 0, (counts) =>
        counts.groupBy(fields.map((field) => sql.ref(`counted.${GROUP_COLUMNS[field]}`))),
      )
      .limit(sql<number>`${parameter("limit")}`)
      .$castTo<VisitTotalsRow>();
  },
);

function selectGroup(field: StoredGroupByField) {
  return field === "day" ? sql`day::text`.as(field) : sql.ref(GROUP_COLUMNS[field]).as(field);
}

/**
 * Builds a statement for each set of fields. A single statement for all sets would take several times as long: it would compute every field
 * of every call, and PostgreSQL could not estimate the number of groups.
 *
 * @param fields the fields that the statement can group by. The statement that groups by all fields is built immediately, for the tests of
 *   all statements. Every other statement is built on first use.
 */
function buildByGroup<P, R>(
  fields: readonly StoredGroupByField[],
  build: (fields: readonly StoredGroupByField[]) => StatementBuilder<Schema, P, R>,
): (groupBy: ReadonlySet<CallReportGroupField>) => PreparedStatement<P, R> {
  // A separate factory, because `listStatements` must not depend on the reports that were requested.
  const { prepareStatement: prepareLater } = createStatementFactory<Schema>();
  const built = new Map([[fields.join(), prepareStatement(build(fields))]]);
  return (groupBy) => {
    const grouped = fields.filter((field) => groupBy.has(field));
    const statement = built.get(grouped.join()) ?? prepareLater(build(grouped));
    built.set(grouped.join(), statement);
    return statement;
  };
}
