import type { CallGroupField } from "@calltrack/domain";
import { sql } from "kysely";
import { prepareStatement } from "../../database/prepared-statement.js";

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
export const countCallsStatement = buildByGroup((columns) =>
  prepareStatement<ReportParameters & { timeZone: string; limit: number }, CallTotalsRow>((db, parameter) => {
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
  }),
);

/**
 * Returns the statement that counts the visits of an account by the given fields, which must be fields of visits. Visits without a stored
 * source have a null source. See `reportCalls`.
 */
export const countVisitsStatement = buildByGroup((columns) =>
  prepareStatement<ReportParameters, VisitTotalsRow>((db, parameter) => {
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
  }),
);

// The tests of all statements check these two, which group by all fields.
countCallsStatement(new Set(Object.keys(GROUP_COLUMNS) as CallGroupField[]));
countVisitsStatement(new Set(["source", "medium", "propertyToken", "day"]));

/**
 * Builds a statement for each set of fields, when it is first used. A single statement for all sets would take a multiple of the time: it
 * computes every field of every call, and PostgreSQL cannot tell how many groups there are.
 */
function buildByGroup<S>(
  build: (columns: readonly (keyof GroupColumns)[]) => S,
): (groupBy: ReadonlySet<CallGroupField>) => S {
  const built = new Map<string, S>();
  return (groupBy) => {
    const fields = (Object.keys(GROUP_COLUMNS) as CallGroupField[]).filter((field) => groupBy.has(field));
    const statement = built.get(fields.join()) ?? build(fields.map((field) => GROUP_COLUMNS[field]));
    built.set(fields.join(), statement);
    return statement;
  };
}
