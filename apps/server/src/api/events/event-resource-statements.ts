import type { Executor, ParameterGetter, PreparedStatement } from "@calltrack/postgres";
import { type Kysely, sql } from "kysely";
import type { DatabaseAccess } from "../../database/open-database.js";
import { prepareList, prepareStatement } from "../../database/prepared-statement.js";
import type { Schema } from "../../database/tables/schema.js";
import { ACCOUNT_COLUMN_TYPES, ACCOUNT_COLUMNS, type AccountRow } from "../accounts/account-repository.js";
import { CALL_COLUMN_TYPES, CALL_COLUMNS, type CallRow } from "../calls/call-row.js";
import {
  selectTrackingNumbers,
  TRACKING_NUMBER_COLUMN_TYPES,
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

/** The database that the resources of events are read from. */
export type EventDatabaseAccess = Pick<DatabaseAccess, "db" | "isDistributed">;

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

export const findPhoneNumbersStatement = preparePlaced((isDistributed) =>
  prepareList<Names, OwnedRow<PhoneNumberRow>>({ account_id: "value", ...PHONE_NUMBER_COLUMN_TYPES }, (db, parameter) =>
    selectNamed(db, parameter, isDistributed, "phone_numbers", ["account_id", ...PHONE_NUMBER_COLUMNS]),
  ),
);

export const findPoolsStatement = preparePlaced((isDistributed) =>
  prepareList<Names, OwnedRow<PoolRow>>({ account_id: "value", ...POOL_COLUMN_TYPES }, (db, parameter) =>
    selectNamed(db, parameter, isDistributed, "pools", ["account_id", ...POOL_COLUMNS]),
  ),
);

export const findCallsStatement = preparePlaced((isDistributed) =>
  prepareList<Names, OwnedRow<CallRow>>({ account_id: "value", ...CALL_COLUMN_TYPES }, (db, parameter) =>
    selectNamed(db, parameter, isDistributed, "calls", ["account_id", ...CALL_COLUMNS]),
  ),
);

/** Returns the start of each call. Returns no row for a deleted call. */
export const findCallStartsStatement = preparePlaced((isDistributed) =>
  prepareStatement<Names, { id: string; started_at: Date }>((db, parameter) =>
    selectNamed(db, parameter, isDistributed, "calls", ["id", "started_at"]),
  ),
);

export const findTrackingNumbersStatement = prepareList<{ numbers: readonly string[] }, TrackingNumberRow>(
  TRACKING_NUMBER_COLUMN_TYPES,
  (db, parameter) =>
    selectTrackingNumbers(db).where("phone_number", "=", sql<string>`any(${parameter("numbers")}::text[])`),
);

/** Prepares one version of a statement for a single server, and one for Citus; see `selectNamed`. */
function preparePlaced<P, R>(prepare: (isDistributed: boolean) => PreparedStatement<P, R>) {
  const [onServer, onCluster] = [prepare(false), prepare(true)];
  return ({ db, isDistributed }: EventDatabaseAccess, given: P) => (isDistributed ? onCluster : onServer)(db, given);
}

/**
 * Selects the rows of a table whose accounts and ids are in `Names`. On Citus, a condition on the accounts selects the shards. On one server, `limit`
 * forces PostgreSQL to look up each id. A join that PostgreSQL planned while the table was small would later read all rows.
 */
function selectNamed<R extends object>(
  db: Kysely<Schema>,
  parameter: ParameterGetter<Names>,
  isDistributed: boolean,
  table: "phone_numbers" | "pools" | "calls",
  columns: readonly (keyof R & string)[],
) {
  const named = sql<{ account_id: number; id: string }>`unnest(${parameter("accountIds")}::integer[],
    ${parameter("ids")}::uuid[])`.as<"named">(sql`named (account_id, id)`);
  const isNamed = sql<boolean>`(resource.account_id, resource.id) = (named.account_id, named.id)`;
  const selected = columns.map((column) => sql.ref<R[typeof column]>(`resource.${column}`).as(column));
  return isDistributed
    ? db
        .selectFrom(sql<R>`${sql.table(table)}`.as("resource"))
        .innerJoin(named, (join) => join.on(isNamed))
        .select(selected)
        .where(sql<boolean>`resource.account_id = any(${parameter("accountIds")}::integer[])`)
    : db
        .selectFrom(named)
        .innerJoinLateral(
          sql<R>`(select * from ${sql.table(table)} as resource where ${isNamed} limit 1)`.as("resource"),
          (join) => join.onTrue(),
        )
        .select(selected);
}
