import type { Parameter } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareStatement } from "../database/prepared-statement.js";
import { nextTime } from "../database/update-time.js";
import { clockNow, statementTime } from "./clock.js";

/** Names a pool by its account's id and its own. */
export interface PoolKey {
  readonly account_id: number;
  readonly pool_id: string;
}

/** A pool that is due to be managed. */
export type DuePool = PoolKey & { readonly due_at: Date };

/** A pool that was taken for a pass. */
export type LeasedPool = PoolKey & { readonly leased_until: Date };

/** When a pool is to be managed next: one that a server has taken, when its lease is over. */
export const nextPassTime = sql<Date>`coalesce(leased_until, due_at)`;

const INFINITY = sql.lit("infinity") as never;

/**
 * The pools that are due to be managed, those that have waited longest first.
 *
 * @param since leaves out those that have been due for longer.
 */
export const findDuePools = prepareStatement<{ since: Date | "-infinity"; limit: number }, DuePool>((db, parameter) =>
  db
    .selectFrom("pool_passes")
    .select(["account_id", "pool_id", nextPassTime.as("due_at")])
    .where(nextPassTime, "<", INFINITY)
    .where(nextPassTime, ">=", sql<Date>`${parameter("since")}::timestamptz`)
    .where(nextPassTime, "<=", clockNow)
    .orderBy(nextPassTime)
    .limit(sql<number>`${parameter("limit")}`),
);

/** See `findNextDueTime`. */
export const nextDueStatement = prepareStatement<object, { due_at: Date }>((db) =>
  db
    .selectFrom("pool_passes")
    .select(nextPassTime.as("due_at"))
    .where(nextPassTime, "<", INFINITY)
    .orderBy(nextPassTime)
    .limit(sql.lit(1)),
);

/** When a pool was last managed of all that ever were. It is read once a start. */
export const lastPassStatement = prepareStatement<object, { passed_at: Date | null }>((db) =>
  db.selectFrom("pool_passes").select(({ fn }) => fn.max<Date | null>("passed_at").as("passed_at")),
);

/** See `makeAllDue`. */
export const makeAllDueStatement = prepareStatement<{ most: number }, PoolKey>((db, parameter) =>
  db
    .with("later", (cte) =>
      cte
        .selectFrom("pool_passes")
        .select(["account_id", "pool_id"])
        .where(nextPassTime, ">", clockNow)
        .where(nextPassTime, "<", INFINITY)
        .orderBy(nextPassTime)
        .limit(sql<number>`${parameter("most")}`),
    )
    .updateTable("pool_passes as pass")
    .from("later")
    .set({ due_at: clockNow, leased_until: null })
    .whereRef("pass.account_id", "=", "later.account_id")
    .whereRef("pass.pool_id", "=", "later.pool_id")
    .returning(["pass.account_id", "pass.pool_id"]),
);

/** The area codes of which pools lack numbers. */
export const wantedAreaCodesStatement = prepareStatement<object, { area_code: string }>((db) =>
  db
    .selectFrom("pool_passes")
    .select(sql<string>`wanted_area_code`.as("area_code"))
    .distinct()
    .where("wanted_area_code", "is not", null),
);

/** See `claimPool`. No two leases of a pool end at the same moment, wherever its clock jumps. */
export const claimStatement = prepareStatement<DuePool & { leaseMs: number }, LeasedPool>((db, parameter) =>
  db
    .updateTable("pool_passes")
    .set({
      due_at: INFINITY,
      leased_until: nextTime(
        sql`clock_now() + ${parameter("leaseMs")}::float8 * interval '1 millisecond'`,
        sql`leased_until`,
      ),
    })
    .where("account_id", "=", parameter("account_id"))
    .where("pool_id", "=", parameter("pool_id"))
    .where(nextPassTime, "=", parameter("due_at"))
    .returning(["account_id", "pool_id", "leased_until"])
    .$castTo<LeasedPool>(),
);

/** Ends a lease, unless another has been given since. */
const leaseEnded = (parameter: Parameter<Pick<LeasedPool, "leased_until">>) =>
  sql<Date | null>`nullif(leased_until, ${parameter("leased_until")}::timestamptz)`;

/** Notes how a pass went; what has made the pool due since it was taken is kept. */
export const finishStatement = prepareStatement<
  LeasedPool & {
    dueAt: Date | string;
    wantedAreaCode: string | null;
    missing: number;
    unserved: number;
  },
  PoolKey
>((db, parameter) =>
  db
    .updateTable("pool_passes")
    .set({
      due_at: sql<Date>`least(due_at, ${parameter("dueAt")}::timestamptz)`,
      leased_until: leaseEnded(parameter),
      passed_at: clockNow,
      wanted_area_code: parameter("wantedAreaCode"),
      missing_numbers: parameter("missing"),
      unserved_sources: parameter("unserved"),
      failures: sql.lit(0),
      last_failure: null,
    })
    .where("account_id", "=", parameter("account_id"))
    .where("pool_id", "=", parameter("pool_id"))
    .returning(["account_id", "pool_id"]),
);

/** Makes a pool due no more, whatever numbers come. */
export const freezeStatement = prepareStatement<LeasedPool, PoolKey>((db, parameter) =>
  db
    .updateTable("pool_passes")
    .set({ due_at: INFINITY, leased_until: leaseEnded(parameter), wanted_area_code: null })
    .where("account_id", "=", parameter("account_id"))
    .where("pool_id", "=", parameter("pool_id"))
    .returning(["account_id", "pool_id"]),
);

/** Makes the frozen pools of an account due, and those that nothing was to be done about. */
export const thawPools = prepareStatement<{ account_id: number }, PoolKey>((db, parameter) =>
  db
    .updateTable("pool_passes as pass")
    .from((from) =>
      from
        .selectFrom("pool_passes")
        .select(["account_id", "pool_id"])
        .where("account_id", "=", parameter("account_id"))
        .where("due_at", "=", INFINITY)
        // What is locked is being made due by another.
        .forNoKeyUpdate()
        .skipLocked()
        .as("frozen"),
    )
    .set({ due_at: clockNow })
    .where("pass.account_id", "=", parameter("account_id"))
    .whereRef("pass.pool_id", "=", "frozen.pool_id")
    .returning(["pass.account_id", "pass.pool_id"]),
);

/**
 * See `makePoolsDue`. It locks pools in the order of the properties that it is given and of their own ids, so that nobody waits
 * for somebody who waits for them. Lateral, so that each property is one probe of the index, however small the table was when
 * this was planned.
 */
export const makeDueStatement = prepareStatement<
  { accountIds: readonly number[]; propertyTokens: readonly string[]; withinMs: number },
  PoolKey
>((db, parameter) => {
  const properties = sql<{ account_id: number; property_token: string }>`
    unnest(${parameter("accountIds")}::integer[], ${parameter("propertyTokens")}::text[])`;
  return db
    .updateTable("pool_passes as pass")
    .from((from) =>
      from
        .selectFrom(properties.as<"property">(sql`property (account_id, property_token)`))
        .innerJoinLateral(
          (lateral) =>
            lateral
              .selectFrom("pool_passes")
              .select(["account_id", "pool_id"])
              .whereRef("pool_passes.account_id", "=", "property.account_id")
              .whereRef("pool_passes.property_token", "=", "property.property_token")
              .where("due_at", ">", sql<Date>`(select ${soon(parameter)})`)
              .orderBy("pool_id")
              .forNoKeyUpdate()
              .as("found"),
          (join) => join.onTrue(),
        )
        .select(["found.account_id", "found.pool_id"])
        .as("late"),
    )
    .set({ due_at: sql<Date>`(select ${soon(parameter)})` })
    .whereRef("pass.account_id", "=", "late.account_id")
    .whereRef("pass.pool_id", "=", "late.pool_id")
    .returning(["pass.account_id", "pass.pool_id"]);
});

/** Like `makeDueStatement`, for properties of one account. */
export const makeDueOfAccountStatement = prepareStatement<
  { accountId: number; propertyTokens: readonly string[]; withinMs: number },
  { pool_id: string }
>((db, parameter) =>
  db
    .with("late", (cte) =>
      cte
        .selectFrom(["pool_passes", cte.selectNoFrom(soon(parameter).as("soon")).as("time")])
        .select(["pool_id", "time.soon"])
        .where("account_id", "=", parameter("accountId"))
        .where("property_token", "=", sql<string>`any(${parameter("propertyTokens")}::text[])`)
        .whereRef("due_at", ">", "time.soon")
        .orderBy("property_token")
        .orderBy("pool_id")
        .forNoKeyUpdate("pool_passes"),
    )
    .updateTable("pool_passes as pass")
    .from("late")
    .set(({ ref }) => ({ due_at: ref("late.soon") }))
    .where("pass.account_id", "=", parameter("accountId"))
    .whereRef("pass.pool_id", "=", "late.pool_id")
    .returning("pass.pool_id"),
);

/** See `postponePool`. */
export const postponeStatement = prepareStatement<
  LeasedPool & { failure: string; mostMs: number },
  { failures: number }
>((db, parameter) =>
  db
    .updateTable("pool_passes")
    .set({
      // Twice as long after each failure: 1 s, 2 s, 4 s …
      due_at: sql<Date>`
        ((clock_now() at time zone 'UTC') + least(power(2, least(failures, 30)) * 1000, ${parameter("mostMs")}::float8)
          * interval '1 millisecond') at time zone 'UTC'`,
      leased_until: null,
      failures: sql<number>`failures + 1`,
      last_failure: parameter("failure"),
    })
    .where("account_id", "=", parameter("account_id"))
    .where("pool_id", "=", parameter("pool_id"))
    .where("leased_until", "=", parameter("leased_until"))
    .returning("failures"),
);

/** The pools that lack numbers of area codes, and are not due. */
export const lackingPoolsStatement = prepareStatement<{ areaCodes: readonly string[] }, PoolKey>((db, parameter) =>
  db
    .selectFrom("pool_passes")
    .select(["account_id", "pool_id"])
    .where("wanted_area_code", "=", sql<string>`any(${parameter("areaCodes")}::text[])`)
    .where("due_at", ">", statementTime),
);

/** Makes a pool due, if it is not. */
export const hurryStatement = prepareStatement<PoolKey, PoolKey>((db, parameter) =>
  db
    .updateTable("pool_passes")
    .set({ due_at: clockNow })
    .where("account_id", "=", parameter("account_id"))
    .where("pool_id", "=", parameter("pool_id"))
    .where("due_at", ">", clockNow)
    .returning(["account_id", "pool_id"]),
);

function soon(parameter: Parameter<{ withinMs: number }>) {
  return sql<Date>`${clockNow} + ${parameter("withinMs")}::float8 * interval '1 millisecond'`;
}
