import type { WebhookEndpoint } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";

/** Returns the request fields that identify a webhook endpoint. */
export function createEndpointIdFields({ id, accountToken }: WebhookEndpoint) {
  return { ...createAccountIdField(accountToken), webhookEndpointId: id };
}

/** Returns the request field that identifies an account. Returns no field if `account` is empty, which means all accounts. */
export function createAccountIdField(account = "") {
  return account === "" ? {} : { accountId: account };
}
