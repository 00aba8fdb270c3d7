import type { RankedSource } from "@calltrack/domain";
import type { ParameterGetter } from "@calltrack/postgres";
import { sql } from "kysely";
import { clockNowSubqueryExpression } from "../clock/clock.js";
import { prepareStatement } from "../database/prepared-statement.js";

/** A property and the length of the visit window, in UTC days including today. */
interface WindowParameters {
  readonly accountId: number;
  readonly propertyToken: string;
  readonly windowDays: number;
}

/**
 * Returns the sources of a property with more visits than a threshold within the window, most visits first. Returns the first `limit` sources, and
 * all further sources with the same number of visits as the source at position `limit`.
 */
export const readRankedSourcesStatement = prepareStatement<
  WindowParameters & { threshold: number; limit: number },
  RankedSource
>((db, parameter) => {
  const visits = sql<number>`sum(visits)::float8`;
  return db
    .selectFrom("visit_counts")
    .select(["source", "medium", visits.as("visits")])
    .where("account_id", "=", parameter("accountId"))
    .where("property_token", "=", parameter("propertyToken"))
    .where("day", ">=", buildWindowStartDayExpression(parameter))
    .groupBy(["source", "medium"])
    .having(visits, ">", parameter("threshold"))
    .orderBy(sql.ref("visits"), "desc")
    .modifyEnd(sql`fetch first ${parameter("limit")} rows with ties`);
});

/** Returns the number of a property's visits within the window that were counted without a source. */
export const countUnattributedVisitsStatement = prepareStatement<WindowParameters, { visits: number }>(
  (db, parameter) =>
    db
      .selectFrom("visit_days")
      .select(sql<number>`coalesce(sum(unattributed), 0)::float8`.as("visits"))
      .where("account_id", "=", parameter("accountId"))
      .where("property_token", "=", parameter("propertyToken"))
      .where("day", ">=", buildWindowStartDayExpression(parameter)),
);

/** Returns the first UTC day of the visit window that ends today. */
export function buildWindowStartDayExpression(parameter: ParameterGetter<Pick<WindowParameters, "windowDays">>) {
  return sql<string>`(${clockNowSubqueryExpression} at time zone 'UTC')::date - ${parameter("windowDays")}::integer + 1`;
}
