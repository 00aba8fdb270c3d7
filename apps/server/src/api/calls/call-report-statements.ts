import type { CallGroupField } from "@calltrack/domain";
import { createStatementFactory, type PreparedStatement, type StatementBuilder } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareStatement } from "../../database/prepared-statement.js";
import type { Schema } from "../../database/tables/schema.js";

/** The values that identify a group. A column is null if the calls have no such value, and absent if it is not grouped by. */
export interface GroupColumns {
  readonly source?: string | null;
  readonly medium?: string | null;
  readonly property_token?: string | null;
  readonly pool_id?: string;
  readonly tracking_number?: string;
  readonly day?: string;
  readonly hour?: number;
}

/** The call counts of a group. */
export interface CallTotalsRow extends GroupColumns {
  readonly calls: number;
  readonly answered: number;
  readonly missed: number;
  readonly first_calls: number;
  readonly total_seconds: number;
}

/** The visit count of a group. */
export interface VisitTotalsRow extends GroupColumns {
  readonly visits: number;
}

interface ReportParameters {
  accountId: number;
  from: string;
  to: string;
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

const VISIT_COLUMNS = ["source", "medium", "property_token", "day"] as const;

/**
 * Makes PostgreSQL plan the other statements of the transaction for the values of their parameters. The plan for any values always reads an
 * index, but a report of most calls takes much less time if PostgreSQL reads the table in parallel.
 */
export const planByValuesStatement = prepareStatement<object, object>((db) =>
  db.selectNoFrom([
    sql`set_config('plan_cache_mode', 'force_custom_plan', true)`.as("plan_cache_mode"),
    sql`set_config('enable_seqscan', 'on', true)`.as("enable_seqscan"),
  ]),
);

/** Returns the statement that counts the calls of an account by the given fields. See `reportCalls`. */
export const countCallsStatement = buildByGroup<ReportParameters & { timeZone: string; limit: number }, CallTotalsRow>(
  Object.keys(GROUP_COLUMNS) as CallGroupField[],
  (columns) => (db, parameter) => {
    const startsAt = sql`(started_at at time zone ${parameter("timeZone")})`;
    return db
      .selectFrom((from) =>
        from
          .selectFrom("calls")
          .select(["source", "medium", "property_token", "pool_id", "tracking_number"])
          .select([sql`${startsAt}::date`.as("day"), sql`extract(hour from ${startsAt})::integer`.as("hour")])
          .select(["answered_at", "ended_at", "is_first_call", "duration_seconds"])
          .where("account_id", "=", parameter("accountId"))
          .where("started_at", ">=", sql<Date>`${parameter("from")}::timestamptz`)
          .where("started_at", "<", sql<Date>`${parameter("to")}::timestamptz`)
          .as("call"),
      )
      .select(columns.map((column) => (column === "day" ? sql`day::text`.as(column) : sql.ref(column).as(column))))
      .select([
        sql<number>`count(*)::float8`.as("calls"),
        sql<number>`count(answered_at)::float8`.as("answered"),
        sql<number>`(count(*) filter (where ended_at is not null and answered_at is null))::float8`.as("missed"),
        sql<number>`(count(*) filter (where is_first_call))::float8`.as("first_calls"),
        sql<number>`coalesce(sum(duration_seconds), 0)::float8`.as("total_seconds"),
      ])
      .$if(columns.length > 0, (counts) => counts.groupBy(columns.map((column) => sql.ref(`call.${column}`))))
      .limit(sql<number>`${parameter("limit")}`)
      .$castTo<CallTotalsRow>();
  },
);

/**
 * Returns the statement that counts the visits of an account by the given fields, which must be fields of visits. Visits without a stored
 * source have a null source. See `reportCalls`.
 */
export const countVisitsStatement = buildByGroup<ReportParameters, VisitTotalsRow>(
  ["source", "medium", "propertyToken", "day"],
  (columns) => (db, parameter) => {
    const from = sql<string>`(${parameter("from")}::timestamptz at time zone 'UTC')::date`;
    const to = sql<string>`(${parameter("to")}::timestamptz at time zone 'UTC')::date`;
    return db
      .selectFrom((sources) =>
        sources
          .selectFrom("visit_counts")
          .select([...VISIT_COLUMNS, "visits"])
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
      .select(columns.map((column) => (column === "day" ? sql`day::text`.as(column) : sql.ref(column).as(column))))
      .select(sql<number>`coalesce(sum(visits), 0)::float8`.as("visits"))
      .$if(columns.length > 0, (counts) => counts.groupBy(columns.map((column) => sql.ref(`counted.${column}`))))
      .$castTo<VisitTotalsRow>();
  },
);

/**
 * Builds a statement for each set of fields. A single statement for all sets would take a multiple of the time: it computes every field of
 * every call, and PostgreSQL cannot tell how many groups there are.
 *
 * @param fields the fields that the statement can group by. The statement that groups by all of them is built at once, for the tests of all
 *   statements, and each other when it is first used.
 */
function buildByGroup<P, R>(
  fields: readonly CallGroupField[],
  build: (columns: readonly (keyof GroupColumns)[]) => StatementBuilder<Schema, P, R>,
): (groupBy: ReadonlySet<CallGroupField>) => PreparedStatement<P, R> {
  // A factory of its own, because `PREPARED_STATEMENTS` must not depend on the reports that were requested.
  const { prepareStatement: prepareLater } = createStatementFactory<Schema>();
  const buildFor = (grouped: readonly CallGroupField[]) => build(grouped.map((field) => GROUP_COLUMNS[field]));
  const built = new Map([[fields.join(), prepareStatement(buildFor(fields))]]);
  return (groupBy) => {
    const grouped = fields.filter((field) => groupBy.has(field));
    const statement = built.get(grouped.join()) ?? prepareLater(buildFor(grouped));
    built.set(grouped.join(), statement);
    return statement;
  };
}
