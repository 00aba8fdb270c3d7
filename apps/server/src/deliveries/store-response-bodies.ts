import type { Executor } from "@calltrack/postgres";
import type { WebhookEndpointKey } from "../api/webhook-endpoints/webhook-endpoint-row.js";
import { lockCallsStatement, storeBodiesStatement } from "./delivery-statements.js";

/** The beginning of an answer to a failed attempt, and the call that the request showed. */
export interface AnsweredCall {
  readonly position: string;
  readonly body: string;
  /** Undefined for other resources. */
  readonly call: { readonly accountId: number; readonly id: string } | undefined;
  /** When the call had changed last, as it was sent; undefined if the request did not show it. */
  readonly updatedAt: Date | undefined;
}

/**
 * Stores the beginnings of answers to failed attempts. An answer may repeat its request, and so the caller's number. So it is left out if the
 * call has changed since: the caller may be forgotten by now. The calls stay locked meanwhile, so that a request to forget the caller
 * that comes later finds the answers.
 */
export async function storeResponseBodies(
  db: Executor,
  key: WebhookEndpointKey,
  answers: readonly AnsweredCall[],
): Promise<void> {
  if (answers.length === 0) return;
  const shown = answers.flatMap(({ call, updatedAt }) => (call === undefined || updatedAt === undefined ? [] : [call]));
  await db.transaction(async (transaction) => {
    const updates = new Map<string, number>();
    // One statement for each account, because a worker of Citus has the calls of one account.
    for (const [accountId, calls] of Map.groupBy(shown, (call) => call.accountId)) {
      const rows = await lockCallsStatement(transaction, { accountId, ids: calls.map(({ id }) => id) });
      for (const { id, updated_at } of rows) updates.set(id, updated_at.getTime());
    }
    const isUnchanged = ({ call, updatedAt }: AnsweredCall) =>
      call === undefined || updatedAt === undefined || updates.get(call.id) === updatedAt.getTime();
    const bodies = answers.filter(isUnchanged).map(({ position, body }) => ({ position, body }));
    if (bodies.length > 0) await storeBodiesStatement(transaction, { ...key, bodies: JSON.stringify(bodies) });
  });
}
