import type { EventRow } from "../api/events/event-repository.js";
import type { AttemptResult } from "./delivery-statements.js";
import { nextWaitMs } from "./retry-schedule.js";
import type { FailedAnswer } from "./store-response-bodies.js";
import type { WebhookAnswer } from "./webhook-client.js";

export interface ReadyDelivery {
  readonly position: string;
  /** The number of earlier attempts. */
  readonly attempts: number;
  /** Undefined until it is read. */
  readonly row?: EventRow | undefined;
}

/** An attempt that has ended, and whose result is not stored yet. */
export interface FinishedAttempt extends ReadyDelivery {
  readonly answer: WebhookAnswer;
  /** See `DeliveryRequest`. Undefined if no request was sent. */
  readonly updatedAt: Date | undefined;
}

/** Returns the result of an attempt for which no request could be created. It says nothing about the receiver. */
export function unsentAnswer(failure: string): WebhookAnswer {
  return { status: undefined, failure, body: undefined, retryAfterMs: 0, isUnsent: true };
}

export function attemptResultOf({ position, attempts, answer, row }: FinishedAttempt): AttemptResult {
  const { status, failure, retryAfterMs } = answer;
  const waitMs =
    failure === undefined || row === undefined ? undefined : nextWaitMs(attempts + 1, retryAfterMs, Math.random());
  return {
    position,
    status: failure === undefined ? "delivered" : waitMs === undefined ? "dead" : "waiting",
    wait_ms: waitMs ?? null,
    response_status: status ?? null,
    failure: failure ?? null,
  };
}

/** Returns the beginning of the answer to a failed attempt, and the call of its event; empty if the answer had no body. */
export function failedAnswerOf({ position, row, answer, updatedAt }: FinishedAttempt): FailedAnswer[] {
  const { body } = answer;
  if (body === undefined) return [];
  const call = row?.type.startsWith("call.") ? { accountId: row.account_id, id: row.resource_id ?? "" } : undefined;
  return [{ position, body, call, updatedAt }];
}
