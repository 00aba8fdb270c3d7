import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareStatement } from "../database/prepared-statement.js";
import { clockNow } from "./clock/clock-now.js";
import { nextPassTime } from "./pass-schedule-statements.js";

/** How far the capacity of all pools together reaches. */
export interface Capacity {
  readonly due: number;
  readonly unserved: number;
  readonly missing: number;
  readonly failing: number;
}

/** Each part reads only the pools that it counts, by an index of theirs, however many others there are. */
const capacityStatement = prepareStatement<object, Capacity>((db) =>
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

/** How far the capacity of all pools reaches now. */
export async function readCapacity(db: Executor): Promise<Capacity> {
  const [row] = await capacityStatement(db, {});
  // A select without a table has one row.
  return row as Capacity;
}
