import type { Parameter } from "@calltrack/postgres";
import { type Expression, type QueryCreator, type Selectable, sql } from "kysely";
import { auditPart, ORIGIN_COLUMNS } from "../../database/audit-part.js";
import { prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import type { ChangeOrigin, PoolTable, Schema } from "../../database/tables/schema.js";
import { keepOutOfInventory } from "../inventory/original-numbers.js";
import { AUDITED_NUMBER, PHONE_NUMBER_COLUMNS } from "../phone-numbers/phone-number-statements.js";
import { AUDITED_POOL, POOL_COLUMNS, type PoolRow } from "./pool-statements.js";

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
const WANTED = { place: "integer", accountId: "integer", originalNumber: "text", ...ORIGIN_COLUMNS };

const ORIGIN_NAMES = Object.keys(ORIGIN_COLUMNS) as (keyof ChangeOrigin)[];

/** A pool that was inserted; `place` is its place among the wanted ones, from 0. */
export type InsertedRow = PoolRow & { readonly place: number };

/** The values of a pool to be inserted. */
export interface InsertParameters {
  accountId: number;
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

/** The values of one to be inserted by itself, and where it comes from: a `ChangeOrigin` in JSON. */
interface RegisterParameters extends InsertParameters {
  origin: string;
}

/** See `insertPools`. */
export const insertManyStatement = prepareStatement<{ pools: string; accountIds: readonly number[] }, InsertedRow>(
  (db, parameter) =>
    insertMany(db, parameter, sql<number>`any(${parameter("accountIds")}::integer[])`, sql.ref("account.id")),
);

/** Like `insertManyStatement`, for one account. */
export const insertManyOfAccountStatement = prepareStatement<{ pools: string; accountId: number }, InsertedRow>(
  (db, parameter) => insertMany(db, parameter, parameter("accountId"), parameter("accountId")),
);

/** See `insertPoolAndPhoneNumber`. */
export const insertWithNumberStatement = prepareStatement<RegisterParameters, PoolRow>((db, parameter) =>
  db
    .with("account", () => activeAccount(db, parameter))
    .with("known", (cte) =>
      cte
        .selectFrom("account")
        .innerJoin("phone_numbers as number", "number.account_id", "account.id")
        .select(["number.account_id", "number.id"])
        .where("number.account_id", "=", parameter("accountId"))
        .where("number.phone_number", "=", parameter("originalNumber")),
    )
    .with("registered", (cte) =>
      cte
        .insertInto("phone_numbers")
        .columns(["account_id", "phone_number"])
        .expression((from) =>
          from
            .selectFrom("account")
            .select(["id", sql<string>`${parameter("originalNumber")}::text`.as("phone_number")])
            .where(({ not, exists, selectFrom }) => not(exists(selectFrom("known").select("id")))),
        )
        .onConflict((conflict) => conflict.columns(["account_id", "phone_number"]).doNothing())
        .returning(["account_id", ...PHONE_NUMBER_COLUMNS]),
    )
    .with("kept_out", (cte) => keepOutOfInventory(cte))
    .with("original_number", (cte) =>
      cte
        .selectFrom("known")
        .select(["account_id", "id"])
        .unionAll(cte.selectFrom("registered").select(["account_id", "id"])),
    )
    .with("inserted", (cte) =>
      cte
        .insertInto("pools")
        .columns(["account_id", "original_number_id", ...insertedColumns()])
        .expression((from) =>
          from.selectFrom("original_number").select(["account_id", "id", ...insertedValues(parameter)]),
        )
        .returning(["account_id", ...POOL_COLUMNS]),
    )
    .with("passes", (cte) => insertPasses(cte))
    .with("audited_number", () =>
      auditPart({ ...AUDITED_NUMBER, accountId: parameter("accountId"), origin: parameter("origin") }),
    )
    .with("audited", () =>
      auditPart({
        ...AUDITED_POOL,
        accountId: parameter("accountId"),
        after: "inserted",
        sharesId: true,
        origin: parameter("origin"),
      }),
    )
    .selectFrom("inserted")
    .select(POOL_COLUMNS),
);

/** See `findPrerequisites`. */
export const findPrerequisitesStatement = prepareStatement<
  { accountId: number; originalNumber: string },
  { is_active: boolean; is_registered: boolean }
>((db, parameter) =>
  db
    .selectFrom("accounts")
    .select(({ exists, selectFrom }) => [
      "is_active",
      exists(
        selectFrom("phone_numbers")
          .select("phone_numbers.id")
          .where("phone_numbers.account_id", "=", parameter("accountId"))
          .where("phone_numbers.phone_number", "=", parameter("originalNumber")),
      )
        .$castTo<boolean>()
        .as("is_registered"),
    ])
    .where("accounts.id", "=", parameter("accountId")),
);

/**
 * @param accountIds those of all pools.
 * @param accountId that of the pool that is called `wanted`.
 */
function insertMany(
  db: QueryBuilder,
  parameter: Parameter<{ pools: string }>,
  accountIds: Expression<number>,
  accountId: Expression<number>,
) {
  return db
    .with("account", (cte) =>
      cte
        .selectFrom("accounts")
        .select("id")
        .where("id", "=", accountIds)
        .where("is_active", "=", sql.lit(true))
        // Locked against being disabled until the pools are there.
        .forShare(),
    )
    .with("ready", (cte) =>
      cte
        .selectFrom(wantedPools(parameter("pools")))
        .innerJoin("account", "account.id", "wanted.accountId")
        .innerJoin("phone_numbers as number", (join) =>
          join.on("number.account_id", "=", accountId).onRef("number.phone_number", "=", "wanted.originalNumber"),
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
            .select(["accountId", "id", "original_number_id"])
            .select(Object.values(INSERTED).map(([name]) => `ready.${name}` as const)),
        )
        .returning(["account_id", ...POOL_COLUMNS]),
    )
    .with("passes", (cte) => insertPasses(cte))
    .with("created", (cte) =>
      cte
        .selectFrom("inserted as pool")
        .innerJoin("ready", "ready.id", "pool.id")
        .selectAll("pool")
        .select(["ready.place", ...ORIGIN_NAMES.map((name) => `ready.${name}` as const)]),
    )
    .with("audited", () =>
      auditPart({ ...AUDITED_POOL, accountId: sql.ref("created.account_id"), after: "created", sharesId: true }),
    )
    .selectFrom("created")
    .select(["place", ...POOL_COLUMNS]);
}

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
  const rows = sql<InsertParameters & ChangeOrigin & { place: number }>`json_to_recordset(${pools}::json)`;
  return rows.as<"wanted">(sql`wanted (${sql.raw(declared)})`);
}

/** The active account, locked against being disabled until the statement's transaction ends. */
function activeAccount(db: QueryBuilder, parameter: Parameter<InsertParameters>) {
  return db
    .selectFrom("accounts")
    .select("id")
    .where("id", "=", parameter("accountId"))
    .where("is_active", "=", sql.lit(true))
    .forShare();
}

function insertedColumns() {
  return Object.keys(INSERTED) as (keyof typeof INSERTED)[];
}

function insertedValues(parameter: Parameter<InsertParameters>) {
  return Object.entries(INSERTED).map(([column, [name, type]]) => sql`${parameter(name)}::${sql.raw(type)}`.as(column));
}
