import type { EventRow } from "../api/events/event-repository.js";
import type { AttemptResult } from "./delivery-statements.js";
import { nextWaitMs } from "./retry-schedule.js";
import type { AnsweredCall } from "./store-response-bodies.js";
import type { WebhookAnswer } from "./webhook-client.js";

/** A due delivery. */
export interface ReadyDelivery {
  readonly position: string;
  /** How often it was sent. */
  readonly attempts: number;
  /** Undefined until it is read. */
  readonly row?: EventRow | undefined;
}

/** An attempt that is over. Its result is not stored yet. */
export interface FinishedAttempt extends ReadyDelivery {
  readonly answer: WebhookAnswer;
  /** When the event's resource had changed last, as it was sent; undefined for none. */
  readonly updatedAt: Date | undefined;
}

/** Returns the result of an attempt for which no request could be made. It says nothing about the receiver. */
export function unsent(failure: string): WebhookAnswer {
  return { status: undefined, failure, body: undefined, retryAfterMs: 0, isUnsent: true };
}

/** Returns the result of an attempt as it is stored. */
export function resultOf({ position, attempts, answer, row }: FinishedAttempt): AttemptResult {
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

/** Returns the beginning of the answer to an attempt, and the call that it was about; nothing if the answer had no body. */
export function answeredCallOf({ position, row, answer, updatedAt }: FinishedAttempt): AnsweredCall[] {
  const { body } = answer;
  if (body === undefined) return [];
  const call = row?.type.startsWith("call.") ? { accountId: row.account_id, id: row.resource_id ?? "" } : undefined;
  return [{ position, body, call, updatedAt }];
}
