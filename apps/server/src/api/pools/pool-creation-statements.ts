import type { Parameter } from "@calltrack/postgres";
import { type Expression, type QueryCreator, type Selectable, sql } from "kysely";
import { auditCte, ORIGIN_COLUMNS } from "../../database/audit-cte.js";
import { prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import type { ChangeOrigin, PoolTable, Schema } from "../../database/tables/schema.js";
import { statementTime } from "../../pool-management/clock.js";
import { excludeFromInventory } from "../inventory/exclude-from-inventory.js";
import { AUDITED_PHONE_NUMBER, PHONE_NUMBER_COLUMNS } from "../phone-numbers/phone-number-statements.js";
import { AUDITED_POOL, POOL_COLUMNS, type PoolRow } from "./pool-statements.js";

/** For each column of a new pool, its parameter and type. In a select, a parameter without a cast has no type. */
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

/** The other fields of a requested pool, with their types. */
const WANTED = { place: "integer", accountId: "integer", originalNumber: "text", ...ORIGIN_COLUMNS };

const ORIGIN_NAMES = Object.keys(ORIGIN_COLUMNS) as (keyof ChangeOrigin)[];

/** An inserted pool. `place` is its zero-based index among the requested pools. */
export type InsertedRow = PoolRow & { readonly place: number };

/** The values of a pool to insert. */
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

/** The values of a single pool to insert. `origin` is a `ChangeOrigin` in JSON. */
interface RegisterParameters extends InsertParameters {
  origin: string;
}

/** See `insertPools`. */
export const insertPoolsStatement = prepareStatement<{ pools: string; accountIds: readonly number[] }, InsertedRow>(
  (db, parameter) =>
    buildInsertPools(db, parameter, sql<number>`any(${parameter("accountIds")}::integer[])`, sql.ref("account.id")),
);

/** Like `insertPoolsStatement`, for one account. */
export const insertPoolsOfAccountStatement = prepareStatement<{ pools: string; accountId: number }, InsertedRow>(
  (db, parameter) => buildInsertPools(db, parameter, parameter("accountId"), parameter("accountId")),
);

/** See `insertPoolAndPhoneNumber`. */
export const insertPoolAndNumberStatement = prepareStatement<RegisterParameters, PoolRow>((db, parameter) =>
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
    .with("kept_out", (cte) => excludeFromInventory(cte))
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
      auditCte({ ...AUDITED_PHONE_NUMBER, accountId: parameter("accountId"), origin: parameter("origin") }),
    )
    .with("audited", () =>
      auditCte({
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

/** See `findPoolPrerequisites`. */
export const findPrerequisitesStatement = prepareStatement<
  { accountId: number; originalNumbers: readonly string[] },
  { is_active: boolean; registered: readonly string[] }
>((db, parameter) =>
  db
    .selectFrom("accounts")
    .select((from) => [
      "is_active",
      sql<readonly string[]>`array(${from
        .selectFrom("phone_numbers")
        .select("phone_numbers.phone_number")
        .where("phone_numbers.account_id", "=", parameter("accountId"))
        .where("phone_numbers.phone_number", "=", sql<string>`any(${parameter("originalNumbers")}::text[])`)})`.as(
        "registered",
      ),
    ])
    .where("accounts.id", "=", parameter("accountId")),
);

/**
 * Builds the statement of `insertPools`.
 *
 * @param accountIds the accounts of all pools.
 * @param accountId the account of the row `wanted`.
 */
function buildInsertPools(
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
        // Prevents the account from being disabled before the pools exist.
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
      auditCte({ ...AUDITED_POOL, accountId: sql.ref("created.account_id"), after: "created", sharesId: true }),
    )
    .selectFrom("created")
    .select(["place", ...POOL_COLUMNS]);
}

/** Schedules the first pass over new pools immediately. */
function insertPasses(db: QueryCreator<Schema & { inserted: Selectable<PoolTable> }>) {
  return db
    .insertInto("pool_passes")
    .columns(["account_id", "pool_id", "property_token", "due_at"])
    .expression((from) =>
      from.selectFrom("inserted").select([
        "account_id",
        "id",
        sql<string | null>`case pool_type when 'automanaged' then property_token end`.as("property_token"),
        // The column's default would read the clock again for each row.
        statementTime.as("due_at"),
      ]),
    )
    .returning("pool_id");
}

/** Reads `InsertParameters` as rows from a JSON array of objects. `place` is the zero-based index in the array. */
function wantedPools(pools: Expression<string>) {
  const columns = Object.entries({ ...WANTED, ...Object.fromEntries(Object.values(INSERTED)) });
  const declared = columns.map(([name, type]) => `"${name}" ${type}`).join(", ");
  const rows = sql<InsertParameters & ChangeOrigin & { place: number }>`json_to_recordset(${pools}::json)`;
  return rows.as<"wanted">(sql`wanted (${sql.raw(declared)})`);
}

/** Selects the account if it is active. Prevents it from being disabled until the transaction ends. */
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
