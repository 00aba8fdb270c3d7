import type { EventRow } from "../api/events/event-repository.js";
import type { DeliveryAttemptResult } from "./delivery-statements.js";
import { computeRetryWaitMs } from "./retry-schedule.js";
import type { FailedAttemptResponse } from "./store-response-bodies.js";
import type { WebhookAttemptOutcome } from "./webhook-client.js";

export interface ReadyDelivery {
  readonly position: string;
  /** The number of earlier attempts. */
  readonly attempts: number;
  /** The event to deliver; undefined until it is read. */
  readonly row?: EventRow | undefined;
}

/** An attempt that has ended, and whose result is not stored yet. */
export interface FinishedAttempt extends ReadyDelivery {
  /** The URL of the request. */
  readonly url: string;
  readonly answer: WebhookAttemptOutcome;
  /** The `updated_at` of the event's call when the request was created; undefined if the event has no call, or if no request was sent. */
  readonly updatedAt: Date | undefined;
}

/** Returns the result of an attempt for which no request could be created. This result does not show whether the receiver works. */
export function createUnsentAttemptOutcome(failure: string): WebhookAttemptOutcome {
  return { status: undefined, failure, body: undefined, retryAfterMs: 0, isUnsent: true };
}

export function createAttemptResult({ position, attempts, answer, row }: FinishedAttempt): DeliveryAttemptResult {
  const { status, failure, retryAfterMs } = answer;
  const waitMs =
    failure === undefined || row === undefined
      ? undefined
      : computeRetryWaitMs(attempts + 1, retryAfterMs, Math.random());
  return {
    position,
    attempts,
    status: failure === undefined ? "delivered" : waitMs === undefined ? "dead" : "waiting",
    wait_ms: waitMs ?? null,
    response_status: status ?? null,
    failure: failure ?? null,
  };
}

/**
 * Returns the beginning of the response body after a failed attempt, and the call of its event. Returns an empty array if the response had no body.
 */
export function listFailedAttemptResponses({
  position,
  row,
  answer,
  updatedAt,
}: FinishedAttempt): FailedAttemptResponse[] {
  const { body } = answer;
  if (body === undefined) return [];
  const call = row?.type.startsWith("call.") ? { accountId: row.account_id, id: row.resource_id ?? "" } : undefined;
  return [{ position, body, call, updatedAt }];
}
