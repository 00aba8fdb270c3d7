import type { Executor, Parameter } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareList, prepareStatement } from "../../database/prepared-statement.js";
import { ACCOUNT_COLUMN_TYPES, ACCOUNT_COLUMNS, type AccountRow } from "../accounts/account-repository.js";
import { CALL_COLUMN_TYPES, CALL_COLUMNS, type CallRow } from "../calls/call-row.js";
import {
  selectTrackingNumbers,
  TRACKING_NUMBER_TYPES,
  type TrackingNumberRow,
} from "../inventory/tracking-number-statements.js";
import {
  PHONE_NUMBER_COLUMN_TYPES,
  PHONE_NUMBER_COLUMNS,
  type PhoneNumberRow,
} from "../phone-numbers/phone-number-repository.js";
import { POOL_COLUMN_TYPES, POOL_COLUMNS, type PoolRow } from "../pools/pool-repository.js";

/** Identifies resources by their accounts and ids: two lists of the same length. */
interface Names {
  readonly accountIds: readonly number[];
  readonly ids: readonly string[];
}

/** The condition that joins a table with `namedResources`. */
const IS_NAMED = sql<boolean>`(resource.account_id, resource.id) = (named.account_id, named.id)`;

type OwnedRow<R> = R & { readonly account_id: number };

export function findAccountTokens(db: Executor, ids: readonly number[]) {
  return findTokensStatement(db, { handles: ids.map(String) });
}

const findTokensStatement = prepareStatement<
  { handles: readonly string[] },
  { account_id: number; account_token: string }
>((db, parameter) =>
  db
    .selectFrom("account_handles")
    .select(["account_id", "account_token"])
    .where("handle", "=", sql<string>`any(${parameter("handles")}::text[])`),
);

export const findAccountsStatement = prepareList<{ ids: readonly number[] }, AccountRow>(
  ACCOUNT_COLUMN_TYPES,
  (db, parameter) =>
    db
      .selectFrom("accounts")
      .select(ACCOUNT_COLUMNS)
      .where("id", "=", sql<number>`any(${parameter("ids")}::integer[])`),
);

export const findPhoneNumbersStatement = prepareList<Names, OwnedRow<PhoneNumberRow>>(
  { account_id: "value", ...PHONE_NUMBER_COLUMN_TYPES },
  (db, parameter) =>
    db
      .selectFrom("phone_numbers as resource")
      .innerJoin(namedResources(parameter), (join) => join.on(IS_NAMED))
      .select(["resource.account_id", ...PHONE_NUMBER_COLUMNS.map((column) => `resource.${column}` as const)])
      .where("resource.account_id", "=", anyAccount(parameter)),
);

export const findPoolsStatement = prepareList<Names, OwnedRow<PoolRow>>(
  { account_id: "value", ...POOL_COLUMN_TYPES },
  (db, parameter) =>
    db
      .selectFrom("pools as resource")
      .innerJoin(namedResources(parameter), (join) => join.on(IS_NAMED))
      .select(["resource.account_id", ...POOL_COLUMNS.map((column) => `resource.${column}` as const)])
      .where("resource.account_id", "=", anyAccount(parameter)),
);

export const findCallsStatement = prepareList<Names, OwnedRow<CallRow>>(
  { account_id: "value", ...CALL_COLUMN_TYPES },
  (db, parameter) =>
    db
      .selectFrom("calls as resource")
      .innerJoin(namedResources(parameter), (join) => join.on(IS_NAMED))
      .select(["resource.account_id", ...CALL_COLUMNS.map((column) => `resource.${column}` as const)])
      .where("resource.account_id", "=", anyAccount(parameter)),
);

export const findTrackingNumbersStatement = prepareList<{ numbers: readonly string[] }, TrackingNumberRow>(
  TRACKING_NUMBER_TYPES,
  (db, parameter) =>
    selectTrackingNumbers(db).where("phone_number", "=", sql<string>`any(${parameter("numbers")}::text[])`),
);

/** Converts the two lists to rows of an account and an id. */
function namedResources(parameter: Parameter<Names>) {
  return sql<{ account_id: number; id: string }>`unnest(${parameter("accountIds")}::integer[],
    ${parameter("ids")}::uuid[])`.as<"named">(sql`named (account_id, id)`);
}

/** Repeats the condition on the accounts in a form by which Citus selects shards. */
function anyAccount(parameter: Parameter<Names>) {
  return sql<number>`any(${parameter("accountIds")}::integer[])`;
}
