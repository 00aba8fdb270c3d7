import {
  type WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookDeliveryStatusSchema,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { enumText } from "../../format/enum-text";
import { Badge, type BadgeKind } from "../../ui/badge";
import { Time } from "../../ui/time";

/** The status of a delivery, the result of its last attempt, and the beginning of the response. */
export function DeliveryState(delivery: WebhookDelivery) {
  const { status, failure, responseStatus, attemptedAt, responseBody } = delivery;
  return (
    <div class="urls">
      <div>
        <Badge kind={kindOf(delivery)}>{enumText(WebhookDeliveryStatusSchema, status)}</Badge>
      </div>
      {attemptedAt !== undefined && (
        <span class="note">
          <Time value={attemptedAt} />: {failure ?? `it answered ${responseStatus}`}
        </span>
      )}
      <NextAttempt {...delivery} />
      {responseBody !== undefined && (
        <details class="note">
          <summary>Beginning of the response</summary>
          <code>{responseBody}</code>
        </details>
      )}
    </div>
  );
}

/** When a failed delivery is retried, or why a delivery waits. */
function NextAttempt({ status, attempts, nextAttemptAt }: WebhookDelivery) {
  if (status !== WebhookDeliveryStatus.WAITING) return null;
  if (nextAttemptAt === undefined) return <span class="note">waits for an earlier event about the same resource</span>;
  if (attempts === 0) return null;
  return (
    <span class="note">
      next attempt: <Time value={nextAttemptAt} />
    </span>
  );
}

function kindOf({ status, attempts }: WebhookDelivery): BadgeKind {
  if (status === WebhookDeliveryStatus.DELIVERED) return "good";
  if (status === WebhookDeliveryStatus.DEAD) return "bad";
  return attempts > 0 ? "warning" : "neutral";
}
