import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareStatement } from "../storage/prepared-statement.js";
import { clockNow } from "./clock/clock-now.js";
import { nextPassTime } from "./pass-schedule-statements.js";

/** Totals over all pools: due pools, sources without a call tracker, missing numbers and failing pools. */
export interface CapacityTotals {
  readonly due: number;
  readonly unserved: number;
  readonly missing: number;
  readonly failing: number;
}

/** Each subquery reads only the pools that it counts, using a partial index. */
const capacityStatement = prepareStatement<object, CapacityTotals>((db) =>
  db.selectNoFrom(({ selectFrom }) => [
    selectFrom("pool_passes")
      .select(sql<number>`count(*)::float8`.as("count"))
      .where(nextPassTime, "<", sql.lit("infinity") as never)
      .where(nextPassTime, "<=", clockNow)
      .$asScalar()
      .$notNull()
      .as("due"),
    selectFrom("pool_passes")
      .select(sql<number>`coalesce(sum(unserved_sources), 0)::float8`.as("sum"))
      .where("unserved_sources", ">", sql.lit(0))
      .$asScalar()
      .$notNull()
      .as("unserved"),
    selectFrom("pool_passes")
      .select(sql<number>`coalesce(sum(missing_numbers), 0)::float8`.as("sum"))
      .where("wanted_area_code", "is not", null)
      .$asScalar()
      .$notNull()
      .as("missing"),
    selectFrom("pool_passes")
      .select(sql<number>`count(*)::float8`.as("count"))
      .where("failures", ">", sql.lit(0))
      .$asScalar()
      .$notNull()
      .as("failing"),
  ]),
);

/** Reads the current totals over all pools. */
export async function readCapacityTotals(db: Executor): Promise<CapacityTotals> {
  const [row] = await capacityStatement(db, {});
  // A select without a table always returns one row.
  return row as CapacityTotals;
}
