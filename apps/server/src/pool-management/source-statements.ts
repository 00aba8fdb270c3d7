import type { Parameter } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareStatement, type QueryBuilder } from "../database/prepared-statement.js";
import { statementTime } from "./clock/current-time.js";

/** Names a property and the days that count. */
export interface WindowParameters {
  accountId: number;
  propertyToken: string;
  windowDays: number;
}

/** See `rankSources`. */
export const rankStatement = prepareStatement<
  WindowParameters & { threshold: number; most: number },
  { source: string; medium: string; visits: number }
>((db, parameter) => {
  const visits = sql<number>`sum(visits)::float8`;
  return countsInWindow(db, parameter)
    .select(["source", "medium", visits.as("visits")])
    .groupBy(["source", "medium"])
    .having(visits, ">", parameter("threshold"))
    .orderBy(sql.ref("visits"), "desc")
    .modifyEnd(sql`fetch first ${parameter("most")} rows with ties`);
});

/** See `summariseSources`. */
export const summaryStatement = prepareStatement<WindowParameters, { sources: number; unattributed: number }>(
  (db, parameter) =>
    db.selectNoFrom(() => [
      sql<number>`(${countsInWindow(db, parameter).select(sql`count(distinct (source, medium))::float8`.as("sources"))})`.as(
        "sources",
      ),
      sql<number>`(${db
        .selectFrom("visit_days")
        .select(sql`coalesce(sum(unattributed), 0)::float8`.as("visits"))
        .where("account_id", "=", parameter("accountId"))
        .where("property_token", "=", parameter("propertyToken"))
        .where("day", ">=", firstDay(parameter))})`.as("unattributed"),
    ]),
);

/** The first UTC day of the visit window that ends today. */
export function firstDay(parameter: Parameter<Pick<WindowParameters, "windowDays">>) {
  return sql<string>`(${statementTime} at time zone 'UTC')::date - ${parameter("windowDays")}::integer + 1`;
}

function countsInWindow(db: QueryBuilder, parameter: Parameter<WindowParameters>) {
  return db
    .selectFrom("visit_counts")
    .where("account_id", "=", parameter("accountId"))
    .where("property_token", "=", parameter("propertyToken"))
    .where("day", ">=", firstDay(parameter));
}
