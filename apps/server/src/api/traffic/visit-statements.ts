import type { ParameterGetter } from "@calltrack/postgres";
import { type Expression, sql } from "kysely";
import { clockNowSubqueryExpression } from "../../clock/clock.js";
import { prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";

/** Records and their groups as parallel arrays, which PostgreSQL parses several times faster than JSON. */
export interface RecordVisitsParameters {
  /** One event key per record, as an array literal. */
  eventKeys: string;
  /** The one-based index of each record's group, as an array literal. */
  groups: string;
  /** One number of visits per record, as an array literal. */
  visits: string;
  /** One per group, like `days`, `sources` and `mediums`. */
  propertyTokens: readonly string[];
  days: readonly string[];
  sources: readonly string[];
  mediums: readonly string[];
  /** A day with more sources than this is returned for pruning. */
  maxSources: number;
}

/** A day on which a property had no visits before, or on which the property now has too many sources. */
export type PrunableVisitDay = VisitDayKey & { readonly sources: number; readonly is_new: boolean };

/** Either the one-based index of a duplicate record, or a day to check for pruning. */
export type RecordVisitsResultRow =
  | ({ readonly place: number } & { readonly [K in keyof PrunableVisitDay]: null })
  | ({ readonly place: null } & PrunableVisitDay);

/** The primary key of `visit_days`: one UTC day of one property. */
export interface VisitDayKey {
  readonly account_id: number;
  readonly property_token: string;
  /** In the format `2026-11-21`. */
  readonly day: string;
}

/**
 * See `recordVisits`. The parts of the statement run one after another: events, counts, days. Each part processes its rows in a fixed order, so
 * that concurrent statements cannot deadlock.
 */
export const recordVisitsStatement = prepareStatement<
  RecordVisitsParameters & { accountIds: readonly number[] },
  RecordVisitsResultRow
>((db, parameter) =>
  buildRecordVisits(db, parameter, sql<number>`(${parameter("accountIds")}::integer[])[given."group"]`),
);

/** Like `recordVisitsStatement`, for one account. */
export const recordVisitsOfAccountStatement = prepareStatement<
  RecordVisitsParameters & { accountId: number },
  RecordVisitsResultRow
>((db, parameter) => buildRecordVisits(db, parameter, sql<number>`${parameter("accountId")}::integer`));

/** Returns a DNI pool of an enabled account on a property. Returns no row if there is none. */
export const findDniPoolStatement = prepareStatement<{ accountId: number; propertyToken: string }, { id: string }>(
  (db, parameter) =>
    db
      .selectFrom("accounts as account")
      .innerJoin("pools as pool", (join) => join.on("pool.account_id", "=", parameter("accountId")))
      .select("pool.id")
      .where("account.id", "=", parameter("accountId"))
      .where("account.is_active", "=", sql.lit(true))
      .where("pool.property_token", "=", parameter("propertyToken"))
      .where("pool.is_dni", "=", sql.lit(true))
      .limit(sql.lit(1)),
);

/**
 * Builds a statement for `recordVisits`.
 *
 * @param accountId the account id of the row `given`.
 */
function buildRecordVisits(
  db: QueryBuilder,
  parameter: ParameterGetter<RecordVisitsParameters>,
  accountId: Expression<number>,
) {
  return db
    .with("record", (cte) =>
      cte
        .selectFrom(givenRecords(parameter))
        .select(["place", "event_key", "group", "visits"])
        .select(({ selectFrom }) => [
          sql<number>`${accountId}`.as("account_id"),
          // A scalar subquery forces one index probe per record. With `exists`, a plan that was made for a small table would scan the whole table.
          selectFrom("visit_events as known")
            .select(sql<true>`true`.as("is_known"))
            .where("known.account_id", "=", accountId)
            .whereRef("known.event_key", "=", "given.event_key")
            .as("is_known"),
        ]),
    )
    .with("event", (cte) =>
      cte
        .insertInto("visit_events")
        .columns(["account_id", "event_key", "recorded_at"])
        .expression((from) =>
          from
            .selectFrom("record")
            .select(["account_id", "event_key", clockNowSubqueryExpression.as("recorded_at")])
            .where("is_known", "is", null)
            .orderBy("account_id")
            .orderBy("event_key"),
        )
        .returning("account_id"),
    )
    .with("sum", (cte) =>
      cte
        .selectFrom("record as given")
        .select(["given.group", sql<string>`sum(given.visits)`.as("visits")])
        .where("is_known", "is", null)
        .where(sql<boolean>`(select count(*) from event) > 0`)
        .groupBy("given.group"),
    )
    .with("counted", (cte) =>
      cte
        .insertInto("visit_counts")
        .columns(["account_id", "property_token", "day", "source", "medium", "visits"])
        .expression((from) =>
          from
            .selectFrom("sum as given")
            .select([
              sql<number>`${accountId}`.as("account_id"),
              groupValue(parameter, "propertyTokens", "text").as("property_token"),
              groupValue(parameter, "days", "date").as("day"),
              groupValue(parameter, "sources", "text").as("source"),
              groupValue(parameter, "mediums", "text").as("medium"),
              "given.visits",
            ])
            .orderBy("given.group"),
        )
        .onConflict((conflict) =>
          conflict
            .columns(["account_id", "property_token", "day", "source", "medium"])
            .doUpdateSet({ visits: sql<string>`visit_counts.visits + excluded.visits` }),
        )
        // `xmax` is 0 only for inserted rows: an update locks the existing row first, which sets `xmax`.
        .returning(["account_id", "property_token", "day", sql<boolean>`visit_counts.xmax = 0`.as("is_new")]),
    )
    .with("day", (cte) =>
      cte
        .insertInto("visit_days")
        .columns(["account_id", "property_token", "day", "sources"])
        .expression((from) =>
          from
            .selectFrom("counted")
            .select(["account_id", "property_token", "day", sql<number>`count(*)`.as("sources")])
            .where("is_new", "=", sql.lit(true))
            .groupBy(["account_id", "property_token", "day"])
            .orderBy("account_id")
            .orderBy("property_token")
            .orderBy("day"),
        )
        .onConflict((conflict) =>
          conflict
            .columns(["account_id", "property_token", "day"])
            .doUpdateSet({ sources: sql<number>`visit_days.sources + excluded.sources` }),
        )
        .returning(["account_id", "property_token", "day", "sources", sql<boolean>`visit_days.xmax = 0`.as("is_new")]),
    )
    .selectFrom("record")
    .select(["place", sql<null>`null::integer`.as("account_id")])
    .select([sql<null>`null::text`.as("property_token"), sql<null>`null::text`.as("day")])
    .select([sql<null>`null::integer`.as("sources"), sql<null>`null::boolean`.as("is_new")])
    .where("is_known", "is not", null)
    .unionAll((from) =>
      from
        .selectFrom("day")
        .select([sql<never>`null::bigint`.as("place"), sql<never>`account_id`.as("account_id")])
        .select([sql<never>`property_token`.as("property_token"), sql<never>`day::text`.as("day")])
        .select([sql<never>`sources`.as("sources"), sql<never>`is_new`.as("is_new")])
        .where(({ or, eb, ref }) => or([eb("sources", ">", parameter("maxSources")), ref("is_new")])),
    )
    .$castTo<RecordVisitsResultRow>();
}

function givenRecords(parameter: ParameterGetter<RecordVisitsParameters>) {
  return sql<{ event_key: string; group: number; visits: number; place: number }>`
    unnest(${parameter("eventKeys")}::uuid[], ${parameter("groups")}::integer[], ${parameter("visits")}::integer[])
    with ordinality`.as<"given">(sql`given (event_key, "group", visits, place)`);
}

/** Returns a value from the group that the row `given` belongs to. */
function groupValue<N extends "propertyTokens" | "days" | "sources" | "mediums">(
  parameter: ParameterGetter<RecordVisitsParameters>,
  name: N,
  type: string,
) {
  return sql<RecordVisitsParameters[N][number]>`(${parameter(name)}::${sql.raw(type)}[])[given."group"]`;
}
