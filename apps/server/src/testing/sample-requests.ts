import { randomUUID } from "node:crypto";
import type { ApiMethods } from "@calltrack/domain";
import type { ApiClient, RequestFields } from "./api-client.js";
import { uniqueNumber, uniqueToken } from "./request-fields.js";
import type { TestServer } from "./test-server.js";
import { newTrackedPool } from "./tracked-pool.js";

/** An account with one resource of each kind. */
export interface SampleAccount {
  readonly id: number;
  readonly token: string;
  readonly number: string;
  readonly numberId: string;
  readonly pool: RequestFields;
  readonly property: string;
  readonly callTracker: RequestFields;
  readonly trackingNumber: string;
  readonly apiKeyId: string;
  readonly phoneSystemId: string;
  readonly callId: string;
  readonly callerNumber: string;
  readonly webhookEndpoint: RequestFields;
  /** A second webhook endpoint, for a test that deletes one. */
  readonly spareWebhookEndpoint: RequestFields;
  readonly webhookDeliveryId: string;
}

/** Creates a sample account with its resources, including an API key that is restricted to the account. */
export async function newSampleAccount(api: ApiClient, server: TestServer): Promise<SampleAccount> {
  const { account, property, name, pass, originalNumber } = await newTrackedPool(
    { api, server },
    { pool_type: "manual" },
  );
  const [tracker] = await pass();
  if (tracker === undefined) throw new Error("the pool has no call tracker");
  const { entries } = await api.listPhoneNumbers({ account_id: account.account_token });
  const callerNumber = uniqueNumber();
  const number = { tracking_number: tracker.tracking_number, caller_number: callerNumber };
  const call = await api.createCall({ ...number, call_id: uniqueToken("call") });
  const webhookEndpoint = await newWebhookEndpoint(api, account.account_token);
  const made = await api.createApiKey({ scopes: ["read"], account_id: account.account_token });
  return {
    id: account.id,
    token: account.account_token,
    number: originalNumber,
    numberId: entries[0]?.id ?? "",
    pool: name,
    property,
    callTracker: { ...name, call_tracker_id: tracker.id },
    trackingNumber: tracker.tracking_number,
    apiKeyId: made.api_key.id,
    phoneSystemId: (await api.createPhoneSystem(newPhoneSystem())).phone_system.id,
    callId: call.id,
    callerNumber,
    webhookEndpoint,
    spareWebhookEndpoint: await newWebhookEndpoint(api, account.account_token),
    webhookDeliveryId: (await api.testWebhookEndpoint(webhookEndpoint)).id,
  };
}

/** Creates a webhook endpoint. Returns the request fields that identify it. */
export async function newWebhookEndpoint(api: ApiClient, account_id: string): Promise<RequestFields> {
  const created = await api.createWebhookEndpoint({ account_id, url: "https://hooks.example/" });
  return { account_id, webhook_endpoint_id: created.webhook_endpoint.id };
}

/**
 * The fields of a valid request for each API method, about the sample account or its resources. The same request can be repeated, unless it deletes a
 * resource.
 */
export const sampleRequests: { readonly [M in keyof ApiMethods]: (account: SampleAccount) => RequestFields } = {
  createAccount: () => ({ account_token: uniqueToken() }),
  getAccount: ({ id }) => ({ id }),
  listAccounts: () => ({}),
  updateAccount: ({ id }) => ({ id, is_active: true }),
  createPhoneNumber: ({ token }) => ({ account_id: token, phone_number: uniqueNumber() }),
  getPhoneNumber: ({ token, numberId }) => ({ account_id: token, phone_number_id: numberId }),
  listPhoneNumbers: ({ token }) => ({ account_id: token }),
  createPool: ({ token, number }) => ({ account_id: token, ...newPool(number) }),
  batchCreatePools: ({ token, number }) => ({ account_id: token, pools: [newPool(number)] }),
  getPool: ({ pool }) => pool,
  listPools: ({ token }) => ({ account_id: token }),
  listPoolSummaries: ({ token }) => ({ account_id: token }),
  exportPools: ({ token }) => ({ account_id: token }),
  updatePool: ({ pool }) => ({ ...pool, size: 10 }),
  planPoolUpdate: ({ pool }) => ({ ...pool, size: 10 }),
  explainPool: ({ pool }) => pool,
  listPoolHistory: ({ pool }) => pool,
  getCallTracker: ({ callTracker }) => callTracker,
  listCallTrackers: ({ pool }) => pool,
  updateCallTracker: ({ callTracker }) => callTracker,
  flagCallTracker: ({ callTracker }) => callTracker,
  getCallFlow: ({ pool }) => pool,
  updateCallFlow: ({ pool }) => ({ ...pool, settings: { ring_seconds: 25 } }),
  getDefaultCallFlow: ({ token }) => ({ account_id: token }),
  updateDefaultCallFlow: ({ token }) => ({ account_id: token, settings: { ring_seconds: 25 } }),
  getSourceAliases: ({ token }) => ({ account_id: token }),
  updateSourceAliases: ({ token }) => ({ account_id: token, aliases: [{ name: "gmb", source: "google" }] }),
  explainCall: ({ trackingNumber }) => ({ tracking_number: trackingNumber }),
  addTrackingNumbers: ({ trackingNumber }) => numbers(trackingNumber),
  importTrackingNumbers: ({ trackingNumber }) => numbers(trackingNumber),
  listTrackingNumbers: () => ({ page_size: 1 }),
  countTrackingNumbers: () => ({ area_code: "1" }),
  retireTrackingNumber: ({ trackingNumber }) => ({ phone_number: trackingNumber }),
  recordVisits: ({ token, property }) => ({ account_id: token, visits: [{ ...visit(), property_token: property }] }),
  resolveNumbers: ({ token, property }) => ({ account_id: token, property_token: property }),
  resolveVisit: ({ token, property }) => ({ account_id: token, property_token: property, evidence: {} }),
  reportVisit: ({ token, property }) => ({ ...visit(), account_id: token, property_token: property }),
  resolveCall: ({ trackingNumber }) => ({ tracking_number: trackingNumber }),
  createCall: ({ trackingNumber }) => ({ call_id: uniqueToken("call"), tracking_number: trackingNumber }),
  batchCreateCalls: ({ trackingNumber }) => ({
    calls: [{ call_id: "batch", tracking_number: trackingNumber, started_at: new Date().toISOString() }],
  }),
  importCallHistory: ({ token }) => ({
    account_id: token,
    calls: [
      {
        ...{ call_id: "history", tracking_number: "+10005559999", started_at: new Date().toISOString() },
        ...{ original_number: "+10005550100", source: "google", medium: "cpc" },
      },
    ],
  }),
  getCall: ({ token, callId }) => ({ account_id: token, id: callId }),
  listCalls: ({ token }) => ({ account_id: token }),
  exportCalls: ({ token }) => ({ account_id: token }),
  reportCalls: ({ token }) => ({ account_id: token }),
  updateCall: ({ token, callId }) => ({
    ...{ account_id: token, id: callId, recording_url: "https://recordings.example/1.mp3" },
  }),
  forgetCaller: ({ token, callerNumber }) => ({ account_id: token, caller_number: callerNumber }),
  getClock: () => ({}),
  whoAmI: () => ({}),
  advanceClock: () => ({ by: "1s" }),
  createApiKey: ({ token }) => ({ scopes: ["read"], account_id: token }),
  getApiKey: ({ apiKeyId }) => ({ api_key_id: apiKeyId }),
  listApiKeys: ({ token }) => ({ account_id: token }),
  revokeApiKey: ({ apiKeyId }) => ({ api_key_id: apiKeyId }),
  createPhoneSystem: () => newPhoneSystem(),
  getPhoneSystem: ({ phoneSystemId }) => ({ phone_system_id: phoneSystemId }),
  listPhoneSystems: () => ({}),
  updatePhoneSystem: ({ phoneSystemId }) => ({ phone_system_id: phoneSystemId, is_active: true }),
  rotatePhoneSystemCredentials: ({ phoneSystemId }) => ({ phone_system_id: phoneSystemId }),
  checkPhoneSystem: ({ phoneSystemId }) => ({ phone_system_id: phoneSystemId }),
  listEvents: ({ token }) => ({ account_id: token, page_size: 5 }),
  watchEvents: ({ token }) => ({ account_id: token }),
  createWebhookEndpoint: ({ token }) => ({ account_id: token, url: "https://hooks.example/" }),
  getWebhookEndpoint: ({ webhookEndpoint }) => webhookEndpoint,
  listWebhookEndpoints: ({ token }) => ({ account_id: token }),
  updateWebhookEndpoint: ({ webhookEndpoint }) => ({ ...webhookEndpoint, concurrency: 20 }),
  deleteWebhookEndpoint: ({ spareWebhookEndpoint }) => spareWebhookEndpoint,
  rotateWebhookEndpointSecret: ({ webhookEndpoint }) => webhookEndpoint,
  resumeWebhookEndpoint: ({ webhookEndpoint }) => webhookEndpoint,
  testWebhookEndpoint: ({ webhookEndpoint }) => webhookEndpoint,
  listWebhookDeliveries: ({ webhookEndpoint }) => webhookEndpoint,
  redeliverWebhookDelivery: ({ webhookEndpoint, webhookDeliveryId }) => ({
    ...webhookEndpoint,
    webhook_delivery_id: webhookDeliveryId,
  }),
  redeliverWebhookDeliveries: ({ webhookEndpoint }) => ({ ...webhookEndpoint, since: new Date().toISOString() }),
  listAuditEntries: ({ token }) => ({ account_id: token }),
};

function newPool(original_number: string): RequestFields {
  return {
    ...{ original_number, area_code: "1", pool_type: "manual", size: 1 },
    ...{ is_dni: false, is_prompted: false, is_recorded: false },
  };
}

export function newPhoneSystem(): RequestFields {
  return { name: "Main trunk", kind: "sip", fallback_number: uniqueNumber() };
}

/** Returns the fields of a request that adds an existing tracking number, so that the request changes nothing. */
function numbers(phone_number: string): RequestFields {
  return { tracking_numbers: [{ phone_number, area_code: "1" }] };
}

function visit(): RequestFields {
  return { event_id: randomUUID(), source: "google", medium: "cpc" };
}
