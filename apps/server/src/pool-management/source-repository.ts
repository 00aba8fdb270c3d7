import type { RankedSource } from "@calltrack/domain";
import type { Executor, Parameter } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareStatement, type QueryBuilder } from "../database/prepared-statement.js";
import { statementTime } from "./clock.js";

/** A property and the length of the visit window, in UTC days including today. */
interface WindowParameters {
  readonly accountId: number;
  readonly propertyToken: string;
  readonly windowDays: number;
}

/**
 * Returns the sources of a property with more visits than a threshold within the window, most visits first. Returns
 * the first `limit` of them, and all that tie with the last of these.
 */
export const rankSources = prepareStatement<WindowParameters & { threshold: number; limit: number }, RankedSource>(
  (db, parameter) => {
    const visits = sql<number>`sum(visits)::float8`;
    return countsInWindow(db, parameter)
      .select(["source", "medium", visits.as("visits")])
      .groupBy(["source", "medium"])
      .having(visits, ">", parameter("threshold"))
      .orderBy(sql.ref("visits"), "desc")
      .modifyEnd(sql`fetch first ${parameter("limit")} rows with ties`);
  },
);

/** Totals over the sources of a property within the visit window. */
interface SourceSummary {
  /** Number of sources with visits. Pruned sources of days over the limit are not counted. */
  readonly sources: number;
  /** Number of visits counted without their source. */
  readonly unattributed: number;
}

/** See `summariseSources`. */
const summariseSourcesStatement = prepareStatement<WindowParameters, SourceSummary>((db, parameter) =>
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

/** Returns the first UTC day of the visit window that ends today. */
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

/** Returns the number of sources of a property within the window, and its visits without a source. */
export async function summariseSources(db: Executor, window: WindowParameters): Promise<SourceSummary> {
  const [row] = await summariseSourcesStatement(db, window);
  return row ?? { sources: 0, unattributed: 0 };
}
