import {
  type WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookDeliveryStatusSchema,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { formatEnumValueAsWords } from "../../format/enum-text";
import { Badge, type BadgeKind } from "../../ui/badge";
import { LocalTime } from "../../ui/local-time";

/** Shows the status of a delivery, the result of its last attempt, and the start of the response body. */
export function DeliveryState(delivery: WebhookDelivery) {
  const { status, failure, responseStatus, attemptedAt, responseBody } = delivery;
  return (
    <div class="urls">
      <div>
        <Badge kind={kindOf(delivery)}>{formatEnumValueAsWords(WebhookDeliveryStatusSchema, status)}</Badge>
      </div>
      {attemptedAt !== undefined && (
        <span class="note">
          <LocalTime value={attemptedAt} />: {failure ?? `the receiver answered ${responseStatus}`}
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

/** Shows the time of the next attempt after a failed attempt, or that the delivery waits for an earlier event. */
function NextAttempt({ status, attempts, nextAttemptAt }: WebhookDelivery) {
  if (status !== WebhookDeliveryStatus.WAITING) return null;
  if (nextAttemptAt === undefined) return <span class="note">waits for an earlier event about the same resource</span>;
  if (attempts === 0) return null;
  return (
    <span class="note">
      next attempt: <LocalTime value={nextAttemptAt} />
    </span>
  );
}

function kindOf({ status, attempts }: WebhookDelivery): BadgeKind {
  if (status === WebhookDeliveryStatus.DELIVERED) return "good";
  if (status === WebhookDeliveryStatus.DEAD) return "bad";
  return attempts > 0 ? "warning" : "neutral";
}
