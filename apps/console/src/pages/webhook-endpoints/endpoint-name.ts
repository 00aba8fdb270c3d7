import type { WebhookEndpoint } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";

/** Returns the fields of requests that name a webhook endpoint. */
export function endpointName({ id, accountToken }: WebhookEndpoint) {
  return { ...accountField(accountToken), webhookEndpointId: id };
}

/** Returns the field of requests that names an account; none for the webhook endpoints of all accounts. */
export function accountField(account = "") {
  return account === "" ? {} : { accountId: account };
}
