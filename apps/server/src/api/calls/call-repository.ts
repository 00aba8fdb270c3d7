import { type CallFilter, type CallProgress, callDurationSeconds, parseUuid } from "@calltrack/domain";
import type { Call } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Executor } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { deleteInChunks } from "../../database/delete-in-chunks.js";
import type { EtagCondition } from "../../database/etag-condition.js";
import { BEFORE_ALL_IDS, type PageBounds, type PagedList } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import type { timestampOf } from "../../database/timestamp.js";
import { readClock } from "../../pool-management/clock.js";
import { callOf, outcomeNameOf } from "./call-row.js";
import {
  checkExpiredCallsStatement,
  deleteExpiredCallsStatement,
  findCallStatement,
  forgetCallerStatement,
  listCallsOfCallerStatement,
  listCallsStatement,
  updateCallStatement,
} from "./call-statements.js";

/** The paged list of an account's calls. The key of a call is its start in milliseconds and its id. */
export const CALLS: PagedList<Call> = {
  name: "calls",
  keyOf: ({ startedAt, id }) => `${millisecondsOf(startedAt as NonNullable<typeof startedAt>)}.${id}`,
  isKey: (text) => /^\d{1,15}\.[\da-f-]{36}$/.test(text) && parseUuid(text.split(".")[1] ?? "") !== undefined,
};

/** A time range that contains the starts of all calls. */
export const ALL_TIME = { from: new Date(0), to: new Date(Date.UTC(9999, 11, 31)) };

/** Max accounts or calls for each statement. Short statements let other requests run in between. */
const CHUNK = 1000;

/** A filter with the caller's key in place of the number; see `CallerHasher`. */
export interface KeyedCallFilter extends Omit<CallFilter, "callerNumber"> {
  readonly callerKey: string | undefined;
}

/** Finds a call of an account by its id. Returns undefined if the account has no such call. */
export async function findCall(
  db: Executor,
  { accountId, accountToken }: ResolvedAccount,
  id: string,
): Promise<Call | undefined> {
  const uuid = parseUuid(id);
  if (uuid === undefined) return undefined;
  const [row] = await findCallStatement(db, { accountId, id: uuid });
  return row && callOf(accountToken, row);
}

/** Lists calls of an account, newest first. `after` is the key of the last call of the previous page. */
export async function listCalls(
  db: Executor,
  { accountId, accountToken }: ResolvedAccount,
  { callerKey, poolId, propertyToken, source, medium, outcome, from, to }: KeyedCallFilter,
  { after, limit }: PageBounds,
): Promise<Call[]> {
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
  const rows = await (callerKey === undefined
    ? listCallsStatement(db, parameters)
    : listCallsOfCallerStatement(db, { ...parameters, callerKey }));
  return rows.map((row) => callOf(accountToken, row));
}

/**
 * Updates a call if it has not changed since it was read.
 *
 * @returns undefined if the call changed, was deleted, or does not match the condition.
 */
export async function updateCall(
  db: Executor,
  { accountId, accountToken }: ResolvedAccount,
  { id, updatedAt }: Pick<Call, "id" | "updatedAt">,
  { answeredAt, endedAt, outcome, recordingUrl }: CallProgress & { readonly recordingUrl: string | undefined },
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<Call | undefined> {
  const [row] = await updateCallStatement(db, {
    ...{ accountId, id, updatedAt: new Date(millisecondsOf(updatedAt as NonNullable<typeof updatedAt>)).toISOString() },
    answeredAt: answeredAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
    durationSeconds: callDurationSeconds({ answeredAt, endedAt }) ?? null,
    outcome: outcomeNameOf(outcome),
    recordingUrl: recordingUrl ?? null,
    ...condition,
    origin: JSON.stringify(origin),
  });
  return row && callOf(accountToken, row);
}

/** Erases a caller's number and key from the calls of an account, in chunks. Returns the number of changed calls. */
export function forgetCaller(
  db: Executor,
  { accountId }: ResolvedAccount,
  callerKey: string,
  origin: ChangeOrigin,
): Promise<number> {
  const parameters = { accountId, callerKey, origin: JSON.stringify(origin) };
  return deleteInChunks(CHUNK, (limit) => forgetCallerStatement(db, { ...parameters, limit }));
}

/** Deletes the calls that started more than `keptMs` ago by the clock of pool management, in chunks. */
export async function deleteExpiredCalls(db: Executor, keptMs: number): Promise<void> {
  const before = new Date((await readClock(db)).getTime() - keptMs).toISOString();
  for (let after = 0; ; ) {
    const accounts = await checkExpiredCallsStatement(db, { after, before, limit: CHUNK });
    for (const { id: accountId, has_expired } of accounts) {
      if (has_expired)
        await deleteInChunks(CHUNK, (limit) => deleteExpiredCallsStatement(db, { accountId, before, limit }));
    }
    if (accounts.length < CHUNK) return;
    after = accounts.at(-1)?.id ?? 0;
  }
}

/** Returns the upper bound of a page: the end of the filter, or the last call of the previous page if that is earlier. */
function boundOf(after: string | undefined, to: Date): { readonly beforeStart: string; readonly beforeId: string } {
  const [milliseconds = "", id = ""] = after?.split(".") ?? [];
  if (after === undefined || Number(milliseconds) >= to.getTime()) {
    return { beforeStart: to.toISOString(), beforeId: BEFORE_ALL_IDS };
  }
  return { beforeStart: new Date(Number(milliseconds)).toISOString(), beforeId: id };
}

function millisecondsOf({ seconds, nanos }: ReturnType<typeof timestampOf>): number {
  return Number(seconds) * 1000 + Math.round(nanos / 1e6);
}
