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
  deleteStatement,
  expiredStatement,
  findStatement,
  forgetStatement,
  listByCallerStatement,
  listStatement,
  updateStatement,
} from "./call-statements.js";

/** The calls of an account, page by page: a call goes by the millisecond of its start and its id. */
export const CALLS: PagedList<Call> = {
  name: "calls",
  keyOf: ({ startedAt, id }) => `${millisecondsOf(startedAt as NonNullable<typeof startedAt>)}.${id}`,
  isKey: (text) => /^\d{1,15}\.[\da-f-]{36}$/.test(text) && parseUuid(text.split(".")[1] ?? "") !== undefined,
};

/** The first moment at which calls can start, and one that is after them all. */
export const ALL_TIME = { from: new Date(0), to: new Date(Date.UTC(9999, 11, 31)) };

/** How many accounts are looked at, and calls changed or deleted, at a time: short statements leave room for others in between. */
const CHUNK = 1000;

/** A filter with the key of the caller in place of the number; see `CallerKeys`. */
export interface KeyedFilter extends Omit<CallFilter, "callerNumber"> {
  readonly callerKey: string | undefined;
}

/** A call of an account by its id; undefined if the account has no such call. */
export async function findCall(
  db: Executor,
  { accountId, accountToken }: ResolvedAccount,
  id: string,
): Promise<Call | undefined> {
  const uuid = parseUuid(id);
  if (uuid === undefined) return undefined;
  const [row] = await findStatement(db, { accountId, id: uuid });
  return row && callOf(accountToken, row);
}

/** Calls of an account, newest first; `after` is the key of a call, which older ones follow. */
export async function listCalls(
  db: Executor,
  { accountId, accountToken }: ResolvedAccount,
  { callerKey, poolId, propertyToken, source, medium, outcome, from, to }: KeyedFilter,
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
    ? listStatement(db, parameters)
    : listByCallerStatement(db, { ...parameters, callerKey }));
  return rows.map((row) => callOf(accountToken, row));
}

/**
 * Updates a call that still is as it was read.
 *
 * @returns undefined if it is not, or does not fulfil the condition.
 */
export async function updateCall(
  db: Executor,
  { accountId, accountToken }: ResolvedAccount,
  { id, updatedAt }: Pick<Call, "id" | "updatedAt">,
  { answeredAt, endedAt, outcome, recordingUrl }: CallProgress & { readonly recordingUrl: string | undefined },
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<Call | undefined> {
  const [row] = await updateStatement(db, {
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

/** Erases a caller from the calls of an account, a few at a time, and gives their number. */
export function forgetCaller(
  db: Executor,
  { accountId }: ResolvedAccount,
  callerKey: string,
  origin: ChangeOrigin,
): Promise<number> {
  const parameters = { accountId, callerKey, origin: JSON.stringify(origin) };
  return deleteInChunks(CHUNK, (limit) => forgetStatement(db, { ...parameters, limit }));
}

/** Deletes the calls that started longer ago than that by the pools' clock, a few at a time. Call it now and then. */
export async function deleteExpiredCalls(db: Executor, keptMs: number): Promise<void> {
  const before = new Date((await readClock(db)).getTime() - keptMs).toISOString();
  for (let after = 0; ; ) {
    const accounts = await expiredStatement(db, { after, before, limit: CHUNK });
    for (const { id: accountId, has_expired } of accounts) {
      if (has_expired) await deleteInChunks(CHUNK, (limit) => deleteStatement(db, { accountId, before, limit }));
    }
    if (accounts.length < CHUNK) return;
    after = accounts.at(-1)?.id ?? 0;
  }
}

/** The place in the list that a page begins after: before the end of the filter, and before the last call of the page before. */
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
