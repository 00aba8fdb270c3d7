import type { Executor } from "@calltrack/postgres";
import type { WebhookEndpointKey } from "../api/webhook-endpoints/webhook-endpoint-row.js";
import { lockCallsStatement, storeResponseBodiesStatement } from "./delivery-statements.js";

/** The beginning of the response body after a failed attempt, and the call of its event. */
export interface FailedAttemptResponse {
  readonly position: string;
  readonly body: string;
  /** The call of the event; undefined if the event is about another resource. */
  readonly call: { readonly accountId: number; readonly id: string } | undefined;
  /** The `updated_at` of the call when the request was created; undefined if the call did not exist. */
  readonly updatedAt: Date | undefined;
}

/**
 * Stores the beginnings of the response bodies after failed attempts. A response body may contain the caller's number: the receiver has the number from
 * the request, or has read it from the API. The body is omitted if the call has changed since the request was created, because the caller may have been
 * forgotten.
 *
 * The calls stay locked until the bodies are stored, so that a later request to forget the caller finds the bodies.
 */
export async function storeResponseBodies(
  db: Executor,
  key: WebhookEndpointKey,
  answers: readonly FailedAttemptResponse[],
): Promise<void> {
  if (answers.length === 0) return;
  const shown = answers.flatMap(({ call, updatedAt }) => (call === undefined || updatedAt === undefined ? [] : [call]));
  await db.transaction(async (transaction) => {
    const updates = new Map<string, number>();
    // One statement for each account, because Citus keeps the calls of an account on one worker.
    for (const [accountId, calls] of Map.groupBy(shown, (call) => call.accountId)) {
      const rows = await lockCallsStatement(transaction, { accountId, ids: calls.map(({ id }) => id) });
      for (const { id, updated_at } of rows) updates.set(id, updated_at.getTime());
    }
    const isUnchanged = ({ call, updatedAt }: FailedAttemptResponse) =>
      call === undefined || updatedAt === undefined || updates.get(call.id) === updatedAt.getTime();
    const bodies = answers.filter(isUnchanged).map(({ position, body }) => ({ position, body }));
    if (bodies.length > 0) await storeResponseBodiesStatement(transaction, { ...key, bodies: JSON.stringify(bodies) });
  });
}
