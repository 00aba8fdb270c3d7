import type { WebhookEndpoint } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { Badge } from "../../ui/badge";

export function EndpointState({ isActive, inactiveReason, secrets }: WebhookEndpoint) {
  if (!isActive) {
    return (
      <>
        <Badge kind="warning">inactive</Badge>
        <span class="note">{inactiveReason}</span>
      </>
    );
  }
  const isReadable = secrets.some((secret) => secret.isReadable);
  return isReadable ? <Badge kind="good">active</Badge> : <Badge kind="bad">secret unreadable</Badge>;
}
