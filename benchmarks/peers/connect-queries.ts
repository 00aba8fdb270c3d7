import { type Kysely, sql } from "kysely";
import type { AuditEntryTable, PoolTable, Schema } from "../../apps/server/dist/database/tables/schema.js";

/** The tables of the queries. The peers give an audit entry the id of its pool. */
export interface Database extends Omit<Schema, "audit_entries"> {
  readonly audit_entries: Omit<AuditEntryTable, "id"> & { readonly id: string };
}

type Created = Omit<PoolTable, "account_id" | "id" | "original_number_id" | "created_at" | "updated_at">;

const COLUMNS = [
  "pool.id",
  "pool.original_number_id",
  "pool.area_code",
  "pool.description",
  "pool.is_dni",
  "pool.is_prompted",
  "pool.is_recorded",
  "pool.pool_type",
  "pool.property_token",
  "pool.size",
  "pool.utilization",
  "pool.created_at",
  "pool.updated_at",
] as const;

/** The audit log's view of a pool. */
const SHOWN = COLUMNS.map((column) => sql.ref(column));

/** Returns one pool: undefined without the account, a row of nulls without the pool. */
export function findPool(db: Kysely<Database>, account: string, id: string) {
  return db
    .selectFrom("account_handles as handle")
    .leftJoin("pools as pool", (join) => join.onRef("pool.account_id", "=", "handle.account_id").on("pool.id", "=", id))
    .select(["handle.account_token", ...COLUMNS])
    .where("handle.handle", "=", account)
    .executeTakeFirst();
}

/** Returns all pools of an account, oldest first: no row without the account, a row of nulls without pools. */
export function listPools(db: Kysely<Database>, account: string) {
  return db
    .selectFrom("account_handles as handle")
    .leftJoin("pools as pool", "pool.account_id", "handle.account_id")
    .select(["handle.account_token", ...COLUMNS])
    .where("handle.handle", "=", account)
    .orderBy("pool.id")
    .execute();
}

/** Creates a due pool of an active account on a registered number; undefined if it may not be created. */
export function insertPool(db: Kysely<Database>, account: string, number: string, pool: Created) {
  return db
    .with("account", (cte) =>
      cte
        .selectFrom("account_handles as handle")
        .innerJoin("accounts", "accounts.id", "handle.account_id")
        .select(["handle.account_id", "handle.account_token"])
        .where("handle.handle", "=", account)
        .where("accounts.is_active", "=", true)
        .forShare("accounts"),
    )
    .with("pool", (cte) =>
      cte
        .insertInto("pools")
        .columns([
          "account_id",
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
        ])
        .expression((from) =>
          from
            .selectFrom("account")
            .innerJoin("phone_numbers as number", "number.account_id", "account.account_id")
            .where("number.phone_number", "=", number)
            .select([
              "number.account_id",
              "number.id",
              sql<string>`${pool.area_code}::text`.as("area_code"),
              sql<string | null>`${pool.description}::text`.as("description"),
              sql<boolean>`${pool.is_dni}::boolean`.as("is_dni"),
              sql<boolean>`${pool.is_prompted}::boolean`.as("is_prompted"),
              sql<boolean>`${pool.is_recorded}::boolean`.as("is_recorded"),
              sql<PoolTable["pool_type"]>`${pool.pool_type}::text`.as("pool_type"),
              sql<string | null>`${pool.property_token}::text`.as("property_token"),
              sql<number>`${pool.size}::integer`.as("size"),
              sql<number | null>`${pool.utilization}::float8`.as("utilization"),
            ]),
        )
        .returningAll(),
    )
    .with("pass", (cte) =>
      cte
        .insertInto("pool_passes")
        .columns(["account_id", "pool_id", "property_token"])
        .expression((from) =>
          from
            .selectFrom("pool")
            .select([
              "account_id",
              "id",
              sql<string | null>`case pool_type when 'automanaged' then property_token end`.as("property_token"),
            ]),
        ),
    )
    .with("entry", (cte) =>
      cte
        .insertInto("audit_entries")
        .columns(["account_id", "id", "method", "actor_kind", "resource_type", "resource_id", "after"])
        .expression((from) =>
          from
            .selectFrom("pool")
            .select([
              "pool.account_id",
              "pool.id",
              sql.lit("CreatePool").as("method"),
              sql.lit("anonymous").as("actor_kind"),
              sql.lit("pool").as("resource_type"),
              sql<string>`pool.id::text`.as("resource_id"),
              sql<unknown>`(select row_to_json(state) from (select ${sql.join(SHOWN)}) as state)`.as("after"),
            ]),
        ),
    )
    .selectFrom("pool")
    .innerJoin("account", "account.account_id", "pool.account_id")
    .select([...COLUMNS, "account.account_token"])
    .executeTakeFirst();
}

/** Returns whether an account is active; undefined without the account. */
export async function isActiveAccount(db: Kysely<Database>, account: string): Promise<boolean | undefined> {
  const row = await db
    .selectFrom("account_handles as handle")
    .innerJoin("accounts", "accounts.id", "handle.account_id")
    .select("accounts.is_active")
    .where("handle.handle", "=", account)
    .executeTakeFirst();
  return row?.is_active;
}
