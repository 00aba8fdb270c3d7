import { type CallProgress, callDurationSeconds, parseUuid } from "@calltrack/domain";
import type { Call } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Executor } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { deleteInChunks } from "../../database/delete-in-chunks.js";
import type { EtagCondition } from "../../database/etag-condition.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import type { timestampOf } from "../../database/timestamp.js";
import { readClock } from "../../pool-management/clock.js";
import { callOf, outcomeNameOf } from "./call-row.js";
import {
  checkExpiredCallsStatement,
  deleteExpiredCallsStatement,
  findCallStatement,
  forgetCallerStatement,
  updateCallStatement,
} from "./call-statements.js";

/** Max accounts or calls for each statement. Short statements let other requests run in between. */
const CHUNK = 1000;

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

function millisecondsOf({ seconds, nanos }: ReturnType<typeof timestampOf>): number {
  return Number(seconds) * 1000 + Math.round(nanos / 1e6);
}
