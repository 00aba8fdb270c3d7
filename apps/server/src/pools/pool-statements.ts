import { type Expression, type QueryCreator, type Selectable, sql } from "kysely";
import { clockNow } from "../clock/clock-now.js";
import { type Executor, type Parameter, prepareLookUp, prepareStatement } from "../storage/prepared-statement.js";
import type { Schema } from "../storage/schema.js";
import { nextUpdateTime } from "../storage/update-time.js";
import type { PoolTable } from "./pool-table.js";

const COLUMNS = [
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

const QUALIFIED_COLUMNS = COLUMNS.map((column) => `pool.${column}` as const);

/** For each column of a new pool, its value from the parameters, with the type that a bare parameter lacks in a select. */
const INSERTED = {
  area_code: ["areaCode", "text"],
  description: ["description", "text"],
  is_dni: ["isDni", "boolean"],
  is_prompted: ["isPrompted", "boolean"],
  is_recorded: ["isRecorded", "boolean"],
  pool_type: ["poolType", "text"],
  property_token: ["propertyToken", "text"],
  size: ["size", "integer"],
  utilization: ["utilization", "float8"],
} as const satisfies { [C in keyof PoolTable]?: readonly [keyof InsertParameters, string] };

/** What else is told of a pool that is wanted. */
const WANTED = { place: "integer", account: "text", originalNumber: "text" };

/** A pool as it is read, with its account's token. */
export type PoolRow = Pick<Selectable<PoolTable>, (typeof COLUMNS)[number]> & { readonly account_token: string };

/** A row of an outer join from an account: all columns but the account's are null where there is nothing to join. */
export type JoinedRow = PoolRow | (Record<(typeof COLUMNS)[number], null> & { readonly account_token: string });

/** The values of a pool to be inserted. */
export interface InsertParameters {
  account: string;
  originalNumber: string;
  areaCode: string;
  description: string | null;
  isDni: boolean;
  isPrompted: boolean;
  isRecorded: boolean;
  poolType: PoolTable["pool_type"];
  propertyToken: string | null;
  size: number;
  utilization: number | null;
}

/** See `insertPools`. */
export const insertManyStatement = prepareStatement<{ pools: string }, PoolRow & { readonly place: number }>(
  (db, parameter) =>
    db
      .with("wanted", (cte) =>
        cte
          .selectFrom(wantedPools(parameter("pools")))
          .innerJoin("account_handles as handle", "handle.handle", "wanted.account")
          .innerJoin("accounts", "accounts.id", "handle.account_id")
          .selectAll("wanted")
          .select(["handle.account_id", "handle.account_token"])
          .where("accounts.is_active", "=", sql.lit(true))
          // Locked against being disabled until the pools are there.
          .forShare("accounts"),
      )
      .with("ready", (cte) =>
        cte
          .selectFrom("wanted")
          .innerJoin("phone_numbers as number", (join) =>
            join
              .onRef("number.account_id", "=", "wanted.account_id")
              .onRef("number.phone_number", "=", "wanted.originalNumber"),
          )
          .selectAll("wanted")
          .select(["number.id as original_number_id", sql<string>`uuid_v7()`.as("id")]),
      )
      .with("inserted", (cte) =>
        cte
          .insertInto("pools")
          .columns(["account_id", "id", "original_number_id", ...insertedColumns()])
          .expression((from) =>
            from
              .selectFrom("ready")
              .select(["account_id", "id", "original_number_id"])
              .select(Object.values(INSERTED).map(([name]) => `ready.${name}` as const)),
          )
          .returning(["account_id", ...COLUMNS]),
      )
      .with("passes", (cte) => insertPasses(cte))
      .selectFrom("inserted as pool")
      .innerJoin("ready", "ready.id", "pool.id")
      .select(["ready.place", "ready.account_token", ...QUALIFIED_COLUMNS]),
);

/** See `insertPoolAndPhoneNumber`. */
export const insertWithNumberStatement = prepareStatement<InsertParameters, PoolRow>((db, parameter) =>
  db
    .with("account", () => activeAccount(db, parameter))
    .with("registered", (cte) =>
      cte
        .selectFrom("account")
        .innerJoin("phone_numbers as number", "number.account_id", "account.account_id")
        .select(["number.account_id", "number.id"])
        .where("number.phone_number", "=", parameter("originalNumber")),
    )
    .with("registered_now", (cte) =>
      cte
        .insertInto("phone_numbers")
        .columns(["account_id", "phone_number"])
        .expression((from) =>
          from
            .selectFrom("account")
            .select(["account_id", sql<string>`${parameter("originalNumber")}::text`.as("phone_number")])
            .where(({ not, exists, selectFrom }) => not(exists(selectFrom("registered").select("id")))),
        )
        .onConflict((conflict) => conflict.columns(["account_id", "phone_number"]).doNothing())
        .returning(["account_id", "id"]),
    )
    .with("original_number", (cte) =>
      cte
        .selectFrom("registered")
        .select(["account_id", "id"])
        .unionAll(cte.selectFrom("registered_now").select(["account_id", "id"])),
    )
    .with("inserted", (cte) =>
      cte
        .insertInto("pools")
        .columns(["account_id", "original_number_id", ...insertedColumns()])
        .expression((from) =>
          from.selectFrom("original_number").select(["account_id", "id", ...insertedValues(parameter)]),
        )
        .returning(["account_id", ...COLUMNS]),
    )
    .with("passes", (cte) => insertPasses(cte))
    .selectFrom("inserted as pool")
    .innerJoin("account", "account.account_id", "pool.account_id")
    .select(["account.account_token", ...QUALIFIED_COLUMNS]),
);

/** See `findPrerequisites`. */
export const findPrerequisitesStatement = prepareStatement<
  { account: string; originalNumber: string },
  { is_active: boolean; is_registered: boolean }
>((db, parameter) =>
  db
    .selectFrom("account_handles as handle")
    .innerJoin("accounts", "accounts.id", "handle.account_id")
    .select(({ exists, selectFrom }) => [
      "accounts.is_active",
      exists(
        selectFrom("phone_numbers")
          .select("phone_numbers.id")
          .whereRef("phone_numbers.account_id", "=", "handle.account_id")
          .where("phone_numbers.phone_number", "=", parameter("originalNumber")),
      )
        .$castTo<boolean>()
        .as("is_registered"),
    ])
    .where("handle.handle", "=", parameter("account")),
);

/** See `findPool`. */
export const findStatement = prepareLookUp<{ account: string; id: string | null }, JoinedRow>(
  { account: "text", id: "uuid" },
  (db, parameter) =>
    db
      .selectFrom("account_handles as handle")
      .leftJoin("pools as pool", (join) =>
        join.onRef("pool.account_id", "=", "handle.account_id").on("pool.id", "=", parameter("id")),
      )
      .select(["handle.account_token", ...QUALIFIED_COLUMNS])
      .where("handle.handle", "=", parameter("account"))
      .$castTo<JoinedRow>(),
);

/** See `listPools`. */
export const listStatement = prepareStatement<
  { account: string; after: string; limit: number | null },
  JoinedRow & { readonly account_id: number }
>((db, parameter) =>
  db
    .selectFrom("account_handles as handle")
    // Lateral, so that the order and the limit are those of the index, however many rows the account has.
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom("pools")
          .select(COLUMNS)
          .whereRef("pools.account_id", "=", "handle.account_id")
          .where("id", ">", parameter("after"))
          .orderBy("id")
          .limit(sql<number>`${parameter("limit")}`)
          .as("pool"),
      (join) => join.onTrue(),
    )
    .select(["handle.account_id", "handle.account_token", ...QUALIFIED_COLUMNS])
    .where("handle.handle", "=", parameter("account"))
    .$castTo<JoinedRow & { readonly account_id: number }>(),
);

/** See `updatePool`. */
export const updateStatement = prepareStatement<
  { account: string; id: string | null; areaCode: string | null; size: number | null; utilization: number | null },
  PoolRow
>((db, parameter) =>
  db
    .with("updated", (cte) =>
      cte
        .updateTable("pools as pool")
        .from("account_handles as handle")
        .set({
          area_code: sql<string>`coalesce(${parameter("areaCode")}, pool.area_code)`,
          size: sql<number>`coalesce(${parameter("size")}, pool.size)`,
          utilization: sql<number | null>`
        case pool.pool_type when 'manual' then null else coalesce(${parameter("utilization")}, pool.utilization) end`,
          updated_at: nextUpdateTime,
        })
        .where("handle.handle", "=", parameter("account"))
        .whereRef("pool.account_id", "=", "handle.account_id")
        .where("pool.id", "=", parameter("id"))
        .returning(["handle.account_id", "handle.account_token", ...QUALIFIED_COLUMNS]),
    )
    .with("passes", (cte) =>
      cte
        .updateTable("pool_passes as pass")
        .from("updated")
        .set({ due_at: clockNow })
        .whereRef("pass.account_id", "=", "updated.account_id")
        .whereRef("pass.pool_id", "=", "updated.id")
        .returning("pass.pool_id"),
    )
    .selectFrom("updated")
    .select(["account_token", ...COLUMNS]),
);

/** Makes new pools due to be managed at once. */
function insertPasses(db: QueryCreator<Schema & { inserted: Selectable<PoolTable> }>) {
  return db
    .insertInto("pool_passes")
    .columns(["account_id", "pool_id", "property_token"])
    .expression((from) =>
      from
        .selectFrom("inserted")
        .select([
          "account_id",
          "id",
          sql<string | null>`case pool_type when 'automanaged' then property_token end`.as("property_token"),
        ]),
    )
    .returning("pool_id");
}

/** Many `InsertParameters` as rows, from an array of objects in JSON; `place` is theirs in the array, from 0. */
function wantedPools(pools: Expression<string>) {
  const columns = Object.entries({ ...WANTED, ...Object.fromEntries(Object.values(INSERTED)) });
  const declared = columns.map(([name, type]) => `"${name}" ${type}`).join(", ");
  const rows = sql<InsertParameters & { place: number }>`json_to_recordset(${pools}::json)`;
  return rows.as<"wanted">(sql`wanted (${sql.raw(declared)})`);
}

/** The active account, locked against being disabled until the statement's transaction ends. */
function activeAccount(db: Executor, parameter: Parameter<InsertParameters>) {
  return db
    .selectFrom("account_handles as handle")
    .innerJoin("accounts", "accounts.id", "handle.account_id")
    .select(["handle.account_id", "handle.account_token"])
    .where("handle.handle", "=", parameter("account"))
    .where("accounts.is_active", "=", sql.lit(true))
    .forShare("accounts");
}

function insertedColumns() {
  return Object.keys(INSERTED) as (keyof typeof INSERTED)[];
}

function insertedValues(parameter: Parameter<InsertParameters>) {
  return Object.entries(INSERTED).map(([column, [name, type]]) => sql`${parameter(name)}::${sql.raw(type)}`.as(column));
}
