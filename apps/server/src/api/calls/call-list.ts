import { type CallFilter, parseUuid } from "@calltrack/domain";
import { ListCallsResponseSchema } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { type Executor, type ListRow, readListRow } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { BEFORE_ALL_IDS, type PageBounds, type PagedList } from "../../database/page.js";
import { createListResponder } from "../../database/stored-messages/list-response.js";
import { type CallRow, callOf, outcomeNameOf } from "./call-row.js";
import { listCallsOfCallerStatement, listCallsStatement } from "./call-statements.js";

/** The paged list of an account's calls. The key of a call is its start in milliseconds and its id. */
export const CALLS: PagedList<ListRow<CallRow>> = {
  name: "calls",
  keyOf: (row) => {
    const { started_at, id } = readListRow(row);
    return `${started_at.getTime()}.${id}`;
  },
  isKey: (text) => /^\d{1,15}\.[\da-f-]{36}$/.test(text) && parseUuid(text.split(".")[1] ?? "") !== undefined,
};

/** A time range that contains the starts of all calls. */
export const ALL_TIME = { from: new Date(0), to: new Date(Date.UTC(9999, 11, 31)) };

/** A filter with the caller's key in place of the number; see `CallerHasher`. */
export interface KeyedCallFilter extends Omit<CallFilter, "callerNumber"> {
  readonly callerKey: string | undefined;
}

/** Creates a response of ListCalls with calls of an account. */
export const createListCallsResponse = createListResponder<typeof ListCallsResponseSchema, CallRow, ResolvedAccount>({
  schema: ListCallsResponseSchema,
  list: "calls",
  messageOf: ({ accountToken }, row) => callOf(accountToken, row),
});

/** Lists calls of an account, newest first. `after` is the key of the last call of the previous page. */
export function listCalls(
  db: Executor,
  { accountId }: ResolvedAccount,
  { callerKey, poolId, propertyToken, source, medium, outcome, from, to }: KeyedCallFilter,
  { after, limit }: PageBounds,
): Promise<ListRow<CallRow>[]> {
  const parameters = {
    accountId,
    from: (from ?? ALL_TIME.from).toISOString(),
    ...boundOf(after, to ?? ALL_TIME.to),
    pool: poolId ?? null,
    propertyToken: propertyToken ?? null,
    source: source ?? null,
    medium: medium ?? null,
    outcome: outcome === undefined ? null : outcomeNameOf(outcome),
    limit,
  };
  return callerKey === undefined
    ? listCallsStatement(db, parameters)
    : listCallsOfCallerStatement(db, { ...parameters, callerKey });
}

/** Returns the upper bound of a page: the end of the filter, or the last call of the previous page if that is earlier. */
function boundOf(after: string | undefined, to: Date): { readonly beforeStart: string; readonly beforeId: string } {
  const [milliseconds = "", id = ""] = after?.split(".") ?? [];
  if (after === undefined || Number(milliseconds) >= to.getTime()) {
    return { beforeStart: to.toISOString(), beforeId: BEFORE_ALL_IDS };
  }
  return { beforeStart: new Date(Number(milliseconds)).toISOString(), beforeId: id };
}
