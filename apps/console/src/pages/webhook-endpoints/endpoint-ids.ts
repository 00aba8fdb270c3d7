import type { WebhookEndpoint } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";

/** Returns the request fields that identify a webhook endpoint. */
export function endpointIds({ id, accountToken }: WebhookEndpoint) {
  return { ...accountField(accountToken), webhookEndpointId: id };
}

/** Returns the request field that identifies an account; no field if `account` is empty, which stands for all accounts. */
export function accountField(account = "") {
  return account === "" ? {} : { accountId: account };
}
