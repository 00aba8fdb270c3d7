import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { type CallFilter, parseUuid } from "@calltrack/domain";
import type { Call } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Executor, ParameterGetter } from "@calltrack/postgres";
import { sql } from "kysely";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { NIL_UUID, type PageBounds, type PagedList } from "../../database/page.js";
import { prepareList, type QueryBuilder } from "../../database/prepared-statement.js";

import { CALL_COLUMN_TYPES, CALL_COLUMNS, type CallRow, toCallMessage, toOutcomeColumns } from "./call-row.js";

/** The calls of an account. The key of a call in this list is its start in milliseconds and its id. */
export const CALL_PAGED_LIST: PagedList<Call> = {
  name: "calls",
  keyOf: ({ startedAt, id }) => `${timestampMs(startedAt as Timestamp)}.${id}`,
  isKey: (text) => /^\d{1,15}\.[\da-f-]{36}$/.test(text) && parseUuid(text.split(".")[1] ?? "") !== undefined,
};

/** A time range that contains the starts of all calls. */
export const ALL_CALLS_TIME_RANGE = { from: new Date(0), to: new Date(Date.UTC(9999, 11, 31)) };

/** A filter with the caller's key in place of the caller's number; see `CallerHasher`. */
export interface CallFilterWithCallerKey extends Omit<CallFilter, "callerNumber"> {
  readonly callerKey: string | undefined;
}

/** Lists calls of an account, newest first. `after` is the key of the last call on the previous page. */
export async function listCalls(
  db: Executor,
  { accountId, accountToken }: ResolvedAccount,
  { callerKey, poolId, propertyToken, source, medium, outcome, rejectReason, from, to }: CallFilterWithCallerKey,
  { after, limit }: PageBounds,
): Promise<Call[]> {
  const parameters = {
    accountId,
    from: (from ?? ALL_CALLS_TIME_RANGE.from).toISOString(),
    ...boundOf(after, to ?? ALL_CALLS_TIME_RANGE.to),
    pool: poolId ?? null,
    propertyToken: propertyToken ?? null,
    source: source ?? null,
    medium: medium ?? null,
    ...(outcome === undefined ? { outcome: null, outcome_detail: null } : toOutcomeColumns(outcome)),
    rejectReason: rejectReason ?? null,
    limit,
  };
  const rows = await (callerKey === undefined
    ? listCallsStatement(db, parameters)
    : listCallsOfCallerStatement(db, { ...parameters, callerKey }));
  return rows.map((row) => toCallMessage(accountToken, row));
}

/** Returns the upper bound of a page: the filter's `to`, or the last call on the previous page if that call is earlier. */
function boundOf(after: string | undefined, to: Date): { readonly beforeStart: string; readonly beforeId: string } {
  const [milliseconds = "", id = ""] = after?.split(".") ?? [];
  if (after === undefined || Number(milliseconds) >= to.getTime()) {
    return { beforeStart: to.toISOString(), beforeId: NIL_UUID };
  }
  return { beforeStart: new Date(Number(milliseconds)).toISOString(), beforeId: id };
}

/** A filter and the bounds of a page. A null filter field matches all calls. */
interface ListParameters {
  accountId: number;
  from: string;
  /** The page has calls that sort before this start and `beforeId`. Calls sort by start, then by id. */
  beforeStart: string;
  beforeId: string;
  pool: string | null;
  propertyToken: string | null;
  source: string | null;
  medium: string | null;
  outcome: CallRow["outcome"] | null;
  outcome_detail: CallRow["outcome_detail"];
  rejectReason: CallRow["reject_reason"];
  limit: number;
}

const listCallsStatement = prepareList<ListParameters, CallRow>(CALL_COLUMN_TYPES, (db, parameter) =>
  selectPage(db, parameter),
);

/** Lists the calls from one caller with the index on `caller_key`. */
const listCallsOfCallerStatement = prepareList<ListParameters & { callerKey: string }, CallRow>(
  CALL_COLUMN_TYPES,
  (db, parameter) => selectPage(db, parameter).where("caller_key", "=", parameter("callerKey")),
);

/**
 * Selects a page of calls. Compares the bounds as rows, and combines all filters in one condition. Otherwise, PostgreSQL would expect few
 * matching calls, and would read and sort all of them instead of stopping when the page is full.
 */
function selectPage(db: QueryBuilder, parameter: ParameterGetter<ListParameters>) {
  const isAny = (
    name: "pool" | "propertyToken" | "source" | "medium" | "outcome" | "rejectReason",
    column: string,
    type: string,
  ) => sql`(${sql.ref(column)} = ${parameter(name)}::${sql.raw(type)} or ${parameter(name)}::${sql.raw(type)} is null)`;
  const matches = [
    isAny("pool", "pool_id", "uuid"),
    isAny("propertyToken", "property_token", "text"),
    isAny("source", "source", "text"),
    isAny("medium", "medium", "text"),
    isAny("outcome", "outcome", "text"),
    // `outcome_detail` is compared only for `missed`. Servers of an earlier version change the outcome but not the detail, so other outcomes can have
    // an outdated detail.
    sql`(${parameter("outcome")}::text is distinct from 'missed' or outcome_detail is not distinct from ${parameter("outcome_detail")}::text)`,
    isAny("rejectReason", "reject_reason", "text"),
  ];
  return db
    .selectFrom("calls")
    .select(CALL_COLUMNS)
    .where("account_id", "=", parameter("accountId"))
    .where(sql<boolean>`(started_at, id) >= (${parameter("from")}::timestamptz, ${sql.lit(NIL_UUID)}::uuid)`)
    .where(sql<boolean>`(started_at, id) < (${parameter("beforeStart")}::timestamptz, ${parameter("beforeId")}::uuid)`)
    .where(sql<boolean>`coalesce(${sql.join(matches, sql` and `)}, false)`)
    .orderBy("started_at", "desc")
    .orderBy("id", "desc")
    .limit(sql<number>`${parameter("limit")}`);
}
