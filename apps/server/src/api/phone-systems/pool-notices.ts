import { pluralize } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareStatement } from "../../database/prepared-statement.js";

/** The maximum number of pools to count: a scan of more would delay other requests. */
const MAX_POOLS = 50_000;

/**
 * Returns texts that say how many pools have a prompt or record calls. Both settings take effect once the pool's numbers are connected to a phone
 * system.
 */
export async function createPoolSettingNotices(db: Executor): Promise<string[]> {
  const [counts] = await countPoolsStatement(db, { limit: MAX_POOLS + 1 });
  const { pools, prompted, recorded } = counts as PoolCounts;
  const describe = (count: number, field: string, effect: string) => {
    if (count === 0 && pools <= MAX_POOLS) return [];
    const atLeast = pools > MAX_POOLS ? "at least " : "";
    return `${atLeast}${pluralize(count, "pool")} with ${field}: ${effect} once the tracking numbers are connected to a phone system`;
  };
  return [
    describe(prompted, "is_prompted", "callers hear a prompt"),
    describe(recorded, "is_prompted and is_recorded", "calls are recorded"),
  ].flat();
}

interface PoolCounts {
  readonly pools: number;
  readonly prompted: number;
  readonly recorded: number;
}

const countPoolsStatement = prepareStatement<{ limit: number }, PoolCounts>((db, parameter) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom("pools")
        .select(["is_prompted", "is_recorded"])
        .limit(sql<number>`${parameter("limit")}`)
        .as("pool"),
    )
    .select([
      sql<number>`count(*)::integer`.as("pools"),
      sql<number>`(count(*) filter (where is_prompted))::integer`.as("prompted"),
      sql<number>`(count(*) filter (where is_prompted and is_recorded))::integer`.as("recorded"),
    ]),
);
