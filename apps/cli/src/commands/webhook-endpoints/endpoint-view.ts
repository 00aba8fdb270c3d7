import { type WebhookEndpoint, WebhookEndpointSchema } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import type { Invocation } from "../../invocation/invocation.js";
import { rowFromMessage } from "../../output/output-row.js";
import type { ResourceView } from "../../output/resource-view.js";

export const endpointView: ResourceView<typeof WebhookEndpointSchema> = {
  schema: WebhookEndpointSchema,
  columns: ["id", "url", "types", "is_active", "inactive_reason", "description"],
  expendable: ["inactive_reason", "types"],
  cells: { types: ({ types = null }) => (Array.isArray(types) && types.length === 0 ? "all" : types) },
};

/** A response that contains a secret, which later responses do not show again. */
interface IssuedSecret {
  readonly webhookEndpoint?: WebhookEndpoint | undefined;
  readonly secret: string;
}

/** Prints a webhook endpoint with its new secret. With the table format, which is for human readers, also advises to store the secret. */
export async function showEndpointWithSecret(
  invocation: Invocation,
  { webhookEndpoint, secret }: IssuedSecret,
): Promise<void> {
  const row = rowFromMessage(WebhookEndpointSchema, webhookEndpoint as WebhookEndpoint);
  await invocation.showRow({ ...row, secret });
  if (invocation.options.output === "table")
    invocation.notify(
      "Store the secret now: the server does not show it again. The receiver verifies requests with it.\n",
    );
}
