import type { RankedSource } from "@calltrack/domain";
import type { Executor, Parameter } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareStatement, type QueryBuilder } from "../database/prepared-statement.js";
import { statementTime } from "./clock.js";

/** Names a property and the days that count. */
interface WindowParameters {
  readonly accountId: number;
  readonly propertyToken: string;
  readonly windowDays: number;
}

/**
 * The sources of a property with more visits than a threshold within the window, most visits first: the first `most` of them,
 * and all that have as many visits as the last of these.
 */
export const rankSources = prepareStatement<WindowParameters & { threshold: number; most: number }, RankedSource>(
  (db, parameter) => {
    const visits = sql<number>`sum(visits)::float8`;
    return countsInWindow(db, parameter)
      .select(["source", "medium", visits.as("visits")])
      .groupBy(["source", "medium"])
      .having(visits, ">", parameter("threshold"))
      .orderBy(sql.ref("visits"), "desc")
      .modifyEnd(sql`fetch first ${parameter("most")} rows with ties`);
  },
);

/** What is known of all sources of a property within the window. */
interface SourceSummary {
  /** How many sources had visits; of a day with too many, only those that were kept apart. */
  readonly sources: number;
  /** How many visits are counted without their source. */
  readonly unattributed: number;
}

/** See `summariseSources`. */
const summaryStatement = prepareStatement<WindowParameters, SourceSummary>((db, parameter) =>
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

/** How many sources a property has within the window, and how many visits without one. */
export async function summariseSources(db: Executor, window: WindowParameters): Promise<SourceSummary> {
  const [row] = await summaryStatement(db, window);
  return row ?? { sources: 0, unattributed: 0 };
}
