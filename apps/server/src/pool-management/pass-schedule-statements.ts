import type { EventType } from "@calltrack/domain";
import type { ParameterGetter } from "@calltrack/postgres";
import { sql, type UpdateObject } from "kysely";
import { clockNowExpression, clockNowSubqueryExpression } from "../clock/clock.js";
import { buildEventCte } from "../database/event-cte.js";
import { prepareStatement, type QueryBuilder } from "../database/prepared-statement.js";
import type { Schema } from "../database/tables/schema.js";
import { buildNextTimeExpression } from "../database/update-time.js";

export interface PoolKey {
  readonly account_id: number;
  readonly pool_id: string;
}

export type DuePool = PoolKey & { readonly due_at: Date };

export type LeasedPool = PoolKey & { readonly leased_until: Date };

/** When the next pass over a pool is due. A leased pool is due when its lease expires. */
export const nextPassTimeExpression = sql<Date>`coalesce(leased_until, due_at)`;

const INFINITY = sql.lit("infinity") as never;

/** Returns the pools that are due for a pass and did not become due before `since`, longest overdue first. */
export const findDuePoolsStatement = prepareStatement<{ since: Date | "-infinity"; limit: number }, DuePool>(
  (db, parameter) =>
    db
      .selectFrom("pool_passes")
      .select(["account_id", "pool_id", nextPassTimeExpression.as("due_at")])
      .where(nextPassTimeExpression, "<", INFINITY)
      .where(nextPassTimeExpression, ">=", sql<Date>`${parameter("since")}::timestamptz`)
      .where(nextPassTimeExpression, "<=", clockNowExpression)
      .orderBy(nextPassTimeExpression)
      .limit(sql<number>`${parameter("limit")}`),
);

/** Returns when the first scheduled pool is due, which may be in the past; no row if no pool is scheduled. */
export const findNextDueTimeStatement = prepareStatement<object, { due_at: Date }>((db) =>
  db
    .selectFrom("pool_passes")
    .select(nextPassTimeExpression.as("due_at"))
    .where(nextPassTimeExpression, "<", INFINITY)
    .orderBy(nextPassTimeExpression)
    .limit(sql.lit(1)),
);

/** Returns the time of the latest pass over any pool, on the pool clock; null if there was none. Scans the whole table, but runs only at startup. */
export const findLastPassTimeStatement = prepareStatement<object, { passed_at: Date | null }>((db) =>
  db.selectFrom("pool_passes").select(({ fn }) => fn.max<Date | null>("passed_at").as("passed_at")),
);

/** Makes up to `limit` pools due whose next pass is in the future, including leased pools. */
export const makeAllPoolsDueStatement = prepareStatement<{ limit: number }, PoolKey>((db, parameter) =>
  db
    .with("later", (cte) =>
      cte
        .selectFrom("pool_passes")
        .select(["account_id", "pool_id"])
        .where(nextPassTimeExpression, ">", clockNowExpression)
        .where(nextPassTimeExpression, "<", INFINITY)
        .orderBy(nextPassTimeExpression)
        .limit(sql<number>`${parameter("limit")}`),
    )
    .updateTable("pool_passes as pass")
    .from("later")
    .set({ due_at: clockNowExpression, leased_until: null })
    .whereRef("pass.account_id", "=", "later.account_id")
    .whereRef("pass.pool_id", "=", "later.pool_id")
    .returning(["pass.account_id", "pass.pool_id"]),
);

export const listNeededAreaCodesStatement = prepareStatement<object, { area_code: string }>((db) =>
  db
    .selectFrom("pool_passes")
    .select(sql<string>`wanted_area_code`.as("area_code"))
    .distinct()
    .where("wanted_area_code", "is not", null),
);

/**
 * Leases a due pool for a pass; returns no row if another server has leased it. If the pass never finishes, the pool is due again when
 * the lease expires. Each lease of a pool ends at a different time, even if the clock jumps, so that the end time identifies the lease.
 */
export const claimPoolStatement = prepareStatement<DuePool & { leaseMs: number }, LeasedPool>((db, parameter) =>
  db
    .updateTable("pool_passes")
    .set({
      due_at: INFINITY,
      leased_until: buildNextTimeExpression(
        sql`clock_now() + ${parameter("leaseMs")}::float8 * interval '1 millisecond'`,
        sql`leased_until`,
      ),
    })
    .where("account_id", "=", parameter("account_id"))
    .where("pool_id", "=", parameter("pool_id"))
    .where(nextPassTimeExpression, "=", parameter("due_at"))
    .returning(["account_id", "pool_id", "leased_until"])
    .$castTo<LeasedPool>(),
);

/** The new value of `leased_until`: null if the lease is still the given one; unchanged if a newer lease exists. */
const leaseEnded = (parameter: ParameterGetter<Pick<LeasedPool, "leased_until">>) =>
  sql<Date | null>`nullif(leased_until, ${parameter("leased_until")}::timestamptz)`;

/** Records the outcome of a pass. Keeps an earlier `due_at` that was set during the pass. */
export const finishPassStatement = prepareStatement<
  LeasedPool & {
    dueAt: Date | string;
    wantedAreaCode: string | null;
    missing: number;
    unserved: number;
  },
  PoolKey
>((db, parameter) =>
  endPass(db, parameter, {
    due_at: sql<Date>`least(due_at, ${parameter("dueAt")}::timestamptz)`,
    leased_until: leaseEnded(parameter),
    passed_at: clockNowExpression,
    wanted_area_code: parameter("wantedAreaCode"),
    missing_numbers: parameter("missing"),
    unserved_sources: parameter("unserved"),
  }),
);

/** Unschedules a pool, and clears its missing numbers and unserved sources. */
export const freezePoolStatement = prepareStatement<LeasedPool, PoolKey>((db, parameter) =>
  endPass(db, parameter, {
    due_at: INFINITY,
    leased_until: leaseEnded(parameter),
    wanted_area_code: null,
    missing_numbers: sql.lit(0),
    unserved_sources: sql.lit(0),
  }),
);

/** Whether a pool in the CTE `before` or `updated` lacks numbers or has unserved sources. */
const hasProblems = (cte: "before" | "updated") => {
  const [missing, unserved] = [sql.ref(`${cte}.missing_numbers`), sql.ref(`${cte}.unserved_sources`)];
  return sql<boolean>`(${missing} > 0 or ${unserved} > 0)`;
};

/** Writes the result of a pass, and an event if the pool's problems began or ended. */
function endPass(db: QueryBuilder, parameter: ParameterGetter<PoolKey>, result: UpdateObject<Schema, "pool_passes">) {
  return db
    .with("before", (cte) =>
      cte
        .selectFrom("pool_passes")
        .select(["pool_id", "missing_numbers", "unserved_sources"])
        .where("account_id", "=", parameter("account_id"))
        .where("pool_id", "=", parameter("pool_id"))
        .forNoKeyUpdate(),
    )
    .with("updated", (cte) =>
      cte
        .updateTable("pool_passes")
        .set({ ...result, failures: sql.lit(0), last_failure: null })
        .where("account_id", "=", parameter("account_id"))
        // Reads the CTE `before`, so that PostgreSQL locks the row before it updates the row.
        .where("pool_id", "=", cte.selectFrom("before").select("pool_id"))
        .returning(["account_id", "pool_id", "missing_numbers", "unserved_sources"]),
    )
    .with("logged", () =>
      buildEventCte({
        type: sql<EventType>`case when ${hasProblems("updated")} then 'pool.problems_began' else 'pool.problems_ended' end`,
        accountId: parameter("account_id"),
        resourceId: sql.ref("updated.pool_id"),
        from: sql`updated cross join before`,
        where: sql<boolean>`${hasProblems("updated")} <> ${hasProblems("before")}`,
      }),
    )
    .selectFrom("updated")
    .select(["account_id", "pool_id"]);
}

/** Makes all pools of an account due that have no scheduled pass. These include all pools that were frozen. */
export const makeFrozenPoolsDueStatement = prepareStatement<{ account_id: number }, PoolKey>((db, parameter) =>
  db
    .updateTable("pool_passes as pass")
    .from((from) =>
      from
        .selectFrom("pool_passes")
        .select(["account_id", "pool_id"])
        .where("account_id", "=", parameter("account_id"))
        .where("due_at", "=", INFINITY)
        // Skips locked rows, because another transaction is making those pools due.
        .forNoKeyUpdate()
        .skipLocked()
        .as("frozen"),
    )
    .set({ due_at: clockNowExpression })
    .where("pass.account_id", "=", parameter("account_id"))
    .whereRef("pass.pool_id", "=", "frozen.pool_id")
    .returning(["pass.account_id", "pass.pool_id"]),
);

/**
 * Makes the pools of properties due within `withinMs`. Locks pools in the order of the given properties and then of pool ids,
 * to avoid deadlocks. The lateral join forces one index probe per property, even if the plan was made while the table was small.
 */
export const makePropertyPoolsDueStatement = prepareStatement<
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

/** Like `makePropertyPoolsDueStatement`, for properties of one account. */
export const makeAccountPoolsDueStatement = prepareStatement<
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

/**
 * Schedules a pool again after a failed pass, with exponential backoff up to `maxDelayMs`. Keeps an earlier `due_at` that was set during the pass.
 * Returns the number of failed passes, or no row if another server has leased the pool since the lease expired.
 */
export const postponePoolStatement = prepareStatement<
  LeasedPool & { failure: string; maxDelayMs: number },
  { failures: number }
>((db, parameter) =>
  db
    .updateTable("pool_passes")
    .set({
      // The delay doubles after each failure: 1 s, 2 s, 4 s …
      due_at: sql<Date>`least(due_at,
        ((clock_now() at time zone 'UTC') + least(power(2, least(failures, 30)) * 1000, ${parameter("maxDelayMs")}::float8)
          * interval '1 millisecond') at time zone 'UTC')`,
      leased_until: null,
      failures: sql<number>`failures + 1`,
      last_failure: parameter("failure"),
    })
    .where("account_id", "=", parameter("account_id"))
    .where("pool_id", "=", parameter("pool_id"))
    .where("leased_until", "=", parameter("leased_until"))
    .returning("failures"),
);

export interface PoolLackingNumbers extends PoolKey {
  readonly area_code: string;
}

/**
 * Lists the pools that lack numbers with the given area codes and are not due yet, least recent pass first. Omits pools whose last pass failed: such
 * a pool is retried after a pause, and until then must not keep free numbers from other pools.
 */
export const listPoolsLackingNumbersStatement = prepareStatement<{ areaCodes: readonly string[] }, PoolLackingNumbers>(
  (db, parameter) =>
    db
      .selectFrom("pool_passes")
      .select(["account_id", "pool_id", sql<string>`wanted_area_code`.as("area_code")])
      .where("wanted_area_code", "=", sql<string>`any(${parameter("areaCodes")}::text[])`)
      .where("due_at", ">", clockNowSubqueryExpression)
      .where("failures", "=", sql.lit(0))
      .orderBy("passed_at"),
);

/** Does not postpone a pool that is already due. */
export const makePoolDueStatement = prepareStatement<PoolKey, PoolKey>((db, parameter) =>
  db
    .updateTable("pool_passes")
    .set({ due_at: clockNowExpression })
    .where("account_id", "=", parameter("account_id"))
    .where("pool_id", "=", parameter("pool_id"))
    .where("due_at", ">", clockNowExpression)
    .returning(["account_id", "pool_id"]),
);

function soon(parameter: ParameterGetter<{ withinMs: number }>) {
  return sql<Date>`${clockNowExpression} + ${parameter("withinMs")}::float8 * interval '1 millisecond'`;
}
