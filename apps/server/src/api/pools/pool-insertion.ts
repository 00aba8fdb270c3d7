import type { NewPool } from "@calltrack/domain";
import { type Pool, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Executor, ParameterGetter } from "@calltrack/postgres";
import { type Expression, type QueryCreator, type Selectable, sql } from "kysely";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { clockNowSubqueryExpression } from "../../clock/clock.js";
import { buildAuditCte, CHANGE_ORIGIN_COLUMN_TYPES } from "../../database/audit-cte.js";
import { findSoleAccountId } from "../../database/distribution/find-sole-account-id.js";
import { buildEventCte } from "../../database/event-cte.js";
import { prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import type { ChangeOrigin, PoolTable, Schema } from "../../database/tables/schema.js";
import { buildInventoryExclusionCte } from "../inventory/inventory-exclusion-cte.js";
import {
  buildPhoneNumberEventCte,
  PHONE_NUMBER_AUDIT_OPTIONS,
  PHONE_NUMBER_COLUMNS,
} from "../phone-numbers/phone-number-repository.js";
import { POOL_AUDIT_OPTIONS, POOL_COLUMNS, type PoolRow, toPoolMessage } from "./pool-repository.js";

export interface PoolToInsert {
  readonly account: ResolvedAccount;
  readonly pool: NewPool;
  readonly origin: ChangeOrigin;
}

/** The columns of a pool that its request sets, with their types. */
const REQUESTED = {
  area_code: "text",
  description: "text",
  is_dni: "boolean",
  is_prompted: "boolean",
  is_recorded: "boolean",
  pool_type: "text",
  property_token: "text",
  size: "integer",
  utilization: "float8",
} as const satisfies { [C in keyof PoolTable]?: string };

const REQUESTED_NAMES = Object.keys(REQUESTED) as (keyof typeof REQUESTED)[];

const ORIGIN_NAMES = Object.keys(CHANGE_ORIGIN_COLUMN_TYPES) as (keyof ChangeOrigin)[];

/** The columns of a pool to insert, and those of the change's origin. They are sent to the database as JSON. */
interface WantedPool extends Pick<Selectable<PoolTable>, "account_id" | keyof typeof REQUESTED>, ChangeOrigin {
  /** The zero-based index of the pool in its statement. */
  readonly place: number;
  readonly original_number: string;
}

/** A pool to insert whose account is active and has registered its number. */
type ReadyPool = WantedPool & { readonly id: string; readonly original_number_id: string };

type InsertedRow = PoolRow & Pick<WantedPool, "place">;

/**
 * Creates pools in one statement. The statement locks the accounts until the pools exist, so that no pool is created after the response that disables
 * its account.
 *
 * @returns a result for each pool; undefined if the pool's account is disabled or has not registered the original number.
 */
export async function insertPools(db: Executor, pools: readonly PoolToInsert[]): Promise<(Pool | undefined)[]> {
  const values = { pools: JSON.stringify(pools.map(wantedPoolOf)) };
  const accountIds = pools.map(({ account }) => account.accountId);
  const accountId = findSoleAccountId(accountIds);
  const rows = await (accountId === undefined
    ? insertPoolsStatement(db, { ...values, accountIds })
    : insertPoolsOfAccountStatement(db, { ...values, accountId }));
  const created: (Pool | undefined)[] = pools.map(() => undefined);
  for (const row of rows) {
    created[row.place] = toPoolMessage((pools[row.place] as PoolToInsert).account, row);
  }
  return created;
}

/** `pools` is a JSON array of `WantedPool`. */
const insertPoolsStatement = prepareStatement<{ pools: string; accountIds: readonly number[] }, InsertedRow>(
  (db, parameter) =>
    insertRegistered(db, parameter, sql<number>`any(${parameter("accountIds")}::integer[])`, sql.ref("account.id")),
);

/** Like `insertPoolsStatement`, for pools of one account. */
const insertPoolsOfAccountStatement = prepareStatement<{ pools: string; accountId: number }, InsertedRow>(
  (db, parameter) => insertRegistered(db, parameter, parameter("accountId"), parameter("accountId")),
);

/**
 * Builds a statement for `insertPools`.
 *
 * @param accountIds the right operand of `=` in a condition that the account ids of all pools meet.
 * @param accountId the account id of the row `wanted`.
 */
function insertRegistered(
  db: QueryBuilder,
  parameter: ParameterGetter<{ pools: string }>,
  accountIds: Expression<number>,
  accountId: Expression<number>,
) {
  return insertReady(
    db
      .with("account", () => activeAccounts(db, accountIds))
      .with("ready", (cte) =>
        cte
          .selectFrom(wantedPools(parameter("pools")))
          .innerJoin("account", "account.id", "wanted.account_id")
          .innerJoin("phone_numbers as number", (join) =>
            join.on("number.account_id", "=", accountId).onRef("number.phone_number", "=", "wanted.original_number"),
          )
          .selectAll("wanted")
          .select(["number.id as original_number_id", sql<string>`uuid_v7()`.as("id")]),
      ),
  );
}

/**
 * Creates a pool like `insertPools`, and registers the pool's original number if the account has not registered it yet.
 *
 * @returns undefined if the account is disabled, or if a concurrent request registered the number.
 * @throws the database's error for the check `phone_numbers_are_no_tracking_numbers` if the number is in the inventory.
 */
export async function insertPoolAndPhoneNumber(db: Executor, pool: PoolToInsert): Promise<Pool | undefined> {
  const [row] = await insertPoolAndNumberStatement(db, {
    pools: JSON.stringify([wantedPoolOf(pool, 0)]),
    accountId: pool.account.accountId,
    originalNumber: pool.pool.originalNumber,
    origin: JSON.stringify(pool.origin),
  });
  return row && toPoolMessage(pool.account, row);
}

/** `pools` is a JSON array of one `WantedPool`, and `origin` a `ChangeOrigin` in JSON. */
const insertPoolAndNumberStatement = prepareStatement<
  { pools: string; accountId: number; originalNumber: string; origin: string },
  InsertedRow
>((db, parameter) =>
  insertReady(
    db
      .with("account", () => activeAccounts(db, parameter("accountId")))
      .with("known", (cte) =>
        cte
          .selectFrom("account")
          .innerJoin("phone_numbers as number", "number.account_id", "account.id")
          .select("number.id")
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
          .returning(PHONE_NUMBER_COLUMNS),
      )
      .with("kept_out", (cte) => buildInventoryExclusionCte(cte))
      .with("audited_number", () =>
        buildAuditCte({
          ...PHONE_NUMBER_AUDIT_OPTIONS,
          accountId: parameter("accountId"),
          origin: parameter("origin"),
        }),
      )
      .with("logged_number", () => buildPhoneNumberEventCte(parameter("accountId")))
      .with("original_number", (cte) =>
        cte
          .selectFrom("known")
          .select("id as original_number_id")
          .unionAll(cte.selectFrom("registered").select("id as original_number_id")),
      )
      .with("ready", (cte) =>
        cte
          .selectFrom([wantedPools(parameter("pools")), "original_number"])
          .selectAll()
          .select(sql<string>`uuid_v7()`.as("id")),
      ),
  ),
);

/** Inserts the pools in the CTE `ready`, schedules their first passes, audits them and writes their events. */
function insertReady(db: QueryCreator<Schema & { ready: ReadyPool }>) {
  return db
    .with("inserted", (cte) =>
      cte
        .insertInto("pools")
        .columns(["account_id", "id", "original_number_id", ...REQUESTED_NAMES])
        .expression((from) =>
          from.selectFrom("ready").select(["account_id", "id", "original_number_id", ...REQUESTED_NAMES]),
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
      buildAuditCte({
        ...POOL_AUDIT_OPTIONS,
        accountId: sql.ref("created.account_id"),
        after: "created",
        sharesId: true,
      }),
    )
    .with("logged", () => {
      const [accountId, resourceId] = [sql.ref<number>("created.account_id"), sql.ref("created.id")];
      return buildEventCte({ type: "pool.created", accountId, resourceId, from: sql.table("created") });
    })
    .selectFrom("created")
    .select(["place", ...POOL_COLUMNS]);
}

/** Makes new pools due for their first pass at once. */
function insertPasses(db: QueryCreator<Schema & { inserted: Selectable<PoolTable> }>) {
  return db
    .insertInto("pool_passes")
    .columns(["account_id", "pool_id", "property_token", "due_at"])
    .expression((from) =>
      from.selectFrom("inserted").select([
        "account_id",
        "id",
        sql<string | null>`case pool_type when 'automanaged' then property_token end`.as("property_token"),
        // The default of `due_at` would read the clock again for each row.
        clockNowSubqueryExpression.as("due_at"),
      ]),
    )
    .returning("pool_id");
}

/** Selects the given accounts that are active. They cannot be disabled until the transaction ends. */
function activeAccounts(db: QueryBuilder, ids: Expression<number>) {
  return db.selectFrom("accounts").select("id").where("id", "=", ids).where("is_active", "=", sql.lit(true)).forShare();
}

/** Converts a JSON array of `WantedPool` to rows. */
function wantedPools(pools: Expression<string>) {
  const types = {
    place: "integer",
    account_id: "integer",
    original_number: "text",
    ...REQUESTED,
    ...CHANGE_ORIGIN_COLUMN_TYPES,
  };
  const declared = Object.entries(types).map(([name, type]) => `${name} ${type}`);
  const rows = sql<WantedPool>`json_to_recordset(${pools}::json)`;
  return rows.as<"wanted">(sql`wanted (${sql.raw(declared.join(", "))})`);
}

function wantedPoolOf({ account, pool, origin }: PoolToInsert, place: number): WantedPool {
  return {
    place,
    account_id: account.accountId,
    original_number: pool.originalNumber,
    area_code: pool.areaCode,
    description: pool.description ?? null,
    is_dni: pool.isDni,
    is_prompted: pool.isPrompted,
    is_recorded: pool.isRecorded,
    // The enum's name for an automanaged pool would be the alias `automated`.
    pool_type: pool.poolType === PoolType.MANUAL ? "manual" : "automanaged",
    property_token: pool.propertyToken ?? null,
    size: pool.size,
    utilization: pool.utilization ?? null,
    ...origin,
  };
}
