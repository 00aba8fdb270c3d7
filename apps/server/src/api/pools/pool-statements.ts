import { type Selectable, sql } from "kysely";
import { auditCte, UPDATE_CTES } from "../../database/audit-cte.js";
import { type EtagCondition, matchesEtagCondition } from "../../database/etag-condition.js";
import { prepareList, prepareLookup, prepareStatement } from "../../database/prepared-statement.js";
import type { PoolTable } from "../../database/tables/schema.js";
import { nextUpdateTime } from "../../database/update-time.js";
import { clockNow } from "../../pool-management/clock.js";

/** The columns of a pool that the API returns. */
export const POOL_COLUMNS = [
  "id",
  "original_number_id",
  "area_code",
  "description",
  "is_dni",
  "is_prompted",
  "is_recorded",
  "pool_type",
  "property_token",
  "size",
  "utilization",
  "created_at",
  "updated_at",
] as const;

/** The audit log's description of a pool. */
export const AUDITED_POOL = { type: "pool", id: "id", columns: POOL_COLUMNS } as const;

/** The columns of a pool that the API returns, as a row. */
export type PoolRow = Pick<Selectable<PoolTable>, (typeof POOL_COLUMNS)[number]>;

/** A change of a pool. Null fields keep their values. */
interface UpdateParameters extends EtagCondition {
  accountId: number;
  id: string;
  areaCode: string | null;
  size: number | null;
  utilization: number | null;
  origin: string;
}

/** See `findPool`. */
export const findPoolStatement = prepareLookup<{ accountId: number; id: string }, PoolRow>(
  { accountId: "integer", id: "uuid" },
  (db, parameter) =>
    db
      .selectFrom("pools")
      .select(POOL_COLUMNS)
      .where("account_id", "=", parameter("accountId"))
      .where("id", "=", parameter("id")),
);

/** See `listPools`. */
export const listPoolsStatement = prepareList<{ accountId: number; after: string; limit: number | null }, PoolRow>(
  (db, parameter) =>
    db
      .selectFrom("pools")
      .select(POOL_COLUMNS)
      .where("account_id", "=", parameter("accountId"))
      .where("id", ">", parameter("after"))
      .orderBy("id")
      .limit(sql<number>`${parameter("limit")}`),
);

/** See `updatePool`. */
export const updatePoolStatement = prepareStatement<UpdateParameters, PoolRow>((db, parameter) =>
  db
    .with("before", (cte) =>
      cte
        .selectFrom("pools")
        .select(POOL_COLUMNS)
        .where("account_id", "=", parameter("accountId"))
        .where("id", "=", parameter("id"))
        .forNoKeyUpdate(),
    )
    .with("updated", (cte) =>
      cte
        .updateTable("pools")
        .set({
          area_code: sql<string>`coalesce(${parameter("areaCode")}, area_code)`,
          size: sql<number>`coalesce(${parameter("size")}, size)`,
          utilization: sql<number | null>`
        case when pool_type = 'manual' then null else coalesce(${parameter("utilization")}, utilization) end`,
          updated_at: nextUpdateTime,
        })
        .where("account_id", "=", parameter("accountId"))
        .where("id", "=", cte.selectFrom("before").select("id"))
        .where(matchesEtagCondition(parameter, sql.ref("updated_at")))
        .returning(POOL_COLUMNS),
    )
    .with("audited", () =>
      auditCte({
        ...AUDITED_POOL,
        accountId: parameter("accountId"),
        ...UPDATE_CTES,
        origin: parameter("origin"),
      }),
    )
    .with("passes", (cte) =>
      cte
        .updateTable("pool_passes as pass")
        .from("updated")
        .set({ due_at: clockNow })
        .where("pass.account_id", "=", parameter("accountId"))
        .whereRef("pass.pool_id", "=", "updated.id")
        .returning("pass.pool_id"),
    )
    .selectFrom("updated")
    .select(POOL_COLUMNS),
);
