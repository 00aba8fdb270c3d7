import type { ApiMethods } from "@calltrack/domain";
import type { ApiClient, RequestFields } from "./api-client.js";
import { expectErrorShape } from "./error-shape.js";
import { expectDocumented } from "./expect-documented.js";
import { RefusedError } from "./refusal.js";

const CALLS = "/dni_manager/accounts/:account_id/calls";
const ENDPOINTS_OF_ACCOUNT = "/dni_manager/accounts/:account_id/webhook_endpoints";
const CALL_TRACKERS = "/dni_manager/accounts/:account_id/pools/:pool_id/call_trackers";

export type Endpoint = readonly [verb: string, path: string, status: number];

const ENDPOINTS: Readonly<Record<Exclude<keyof ApiMethods, "importTrackingNumbers">, Endpoint>> = {
  createAccount: ["POST", "/call_tracking/accounts", 201],
  getAccount: ["GET", "/call_tracking/accounts/:id", 200],
  listAccounts: ["GET", "/call_tracking/accounts", 200],
  updateAccount: ["PUT", "/call_tracking/accounts/:id", 204],
  createPhoneNumber: ["POST", "/dni_manager/accounts/:account_id/phone_numbers", 201],
  getPhoneNumber: ["GET", "/dni_manager/accounts/:account_id/phone_numbers/:phone_number_id", 200],
  listPhoneNumbers: ["GET", "/dni_manager/accounts/:account_id/phone_numbers", 200],
  createPool: ["POST", "/dni_manager/accounts/:account_id/pools", 201],
  batchCreatePools: ["POST", "/dni_manager/accounts/:account_id/pools:batchCreate", 200],
  getPool: ["GET", "/dni_manager/accounts/:account_id/pools/:pool_id", 200],
  listPools: ["GET", "/dni_manager/accounts/:account_id/pools", 200],
  listPoolSummaries: ["GET", "/dni_manager/accounts/:account_id/pool_summaries", 200],
  exportPools: ["GET", "/dni_manager/accounts/:account_id/pools:export", 200],
  updatePool: ["PUT", "/dni_manager/accounts/:account_id/pools/:pool_id", 200],
  planPoolUpdate: ["POST", "/dni_manager/accounts/:account_id/pools/:pool_id:plan", 200],
  explainPool: ["GET", "/dni_manager/accounts/:account_id/pools/:pool_id:explain", 200],
  listPoolHistory: ["GET", "/dni_manager/accounts/:account_id/pools/:pool_id/history", 200],
  getCallTracker: ["GET", `${CALL_TRACKERS}/:call_tracker_id`, 200],
  listCallTrackers: ["GET", CALL_TRACKERS, 200],
  updateCallTracker: ["PUT", `${CALL_TRACKERS}/:call_tracker_id`, 200],
  flagCallTracker: ["POST", `${CALL_TRACKERS}/:call_tracker_id:flag`, 200],
  getCallFlow: ["GET", "/dni_manager/accounts/:account_id/pools/:pool_id/call_flow", 200],
  updateCallFlow: ["PUT", "/dni_manager/accounts/:account_id/pools/:pool_id/call_flow", 200],
  getDefaultCallFlow: ["GET", "/dni_manager/accounts/:account_id/call_flow", 200],
  updateDefaultCallFlow: ["PUT", "/dni_manager/accounts/:account_id/call_flow", 200],
  getSourceAliases: ["GET", "/dni_manager/accounts/:account_id/source_aliases", 200],
  updateSourceAliases: ["PUT", "/dni_manager/accounts/:account_id/source_aliases", 200],
  explainCall: ["GET", "/dni_manager/calls/:tracking_number:explain", 200],
  resolveNumbers: ["GET", "/dni_manager/accounts/:account_id/properties/:property_token/numbers", 200],
  resolveVisit: ["POST", "/dni_manager/accounts/:account_id/properties/:property_token/visits:resolve", 200],
  reportVisit: ["POST", "/dni_manager/accounts/:account_id/properties/:property_token/visits", 200],
  resolveCall: ["GET", "/dni_manager/calls/:tracking_number", 200],
  createCall: ["POST", "/dni_manager/calls", 201],
  batchCreateCalls: ["POST", "/dni_manager/calls:batch", 200],
  importCallHistory: ["POST", `${CALLS}:importHistory`, 200],
  getCall: ["GET", `${CALLS}/:id`, 200],
  listCalls: ["GET", CALLS, 200],
  exportCalls: ["GET", `${CALLS}:export`, 200],
  reportCalls: ["GET", `${CALLS}:report`, 200],
  updateCall: ["PUT", `${CALLS}/:id`, 200],
  forgetCaller: ["POST", `${CALLS}:forget`, 200],
  whoAmI: ["GET", "/call_tracking/whoami", 200],
  getClock: ["GET", "/dni_manager/clock", 200],
  advanceClock: ["POST", "/dni_manager/clock:advance", 200],
  addTrackingNumbers: ["POST", "/dni_manager/tracking_numbers:add", 200],
  listTrackingNumbers: ["GET", "/dni_manager/tracking_numbers", 200],
  countTrackingNumbers: ["GET", "/dni_manager/tracking_numbers:count", 200],
  retireTrackingNumber: ["POST", "/dni_manager/tracking_numbers/:phone_number:retire", 200],
  recordVisits: ["POST", "/dni_manager/accounts/:account_id/visits", 200],
  createApiKey: ["POST", "/call_tracking/api_keys", 201],
  getApiKey: ["GET", "/call_tracking/api_keys/:api_key_id", 200],
  listApiKeys: ["GET", "/call_tracking/api_keys", 200],
  revokeApiKey: ["POST", "/call_tracking/api_keys/:api_key_id:revoke", 200],
  createPhoneSystem: ["POST", "/call_tracking/phone_systems", 201],
  getPhoneSystem: ["GET", "/call_tracking/phone_systems/:phone_system_id", 200],
  listPhoneSystems: ["GET", "/call_tracking/phone_systems", 200],
  updatePhoneSystem: ["PUT", "/call_tracking/phone_systems/:phone_system_id", 200],
  rotatePhoneSystemCredentials: ["POST", "/call_tracking/phone_systems/:phone_system_id:rotate", 200],
  checkPhoneSystem: ["POST", "/call_tracking/phone_systems/:phone_system_id:check", 200],
  listEvents: ["GET", "/dni_manager/accounts/:account_id/events", 200],
  watchEvents: ["GET", "/dni_manager/accounts/:account_id/events:watch", 200],
  createWebhookEndpoint: ["POST", ENDPOINTS_OF_ACCOUNT, 201],
  getWebhookEndpoint: ["GET", `${ENDPOINTS_OF_ACCOUNT}/:webhook_endpoint_id`, 200],
  listWebhookEndpoints: ["GET", ENDPOINTS_OF_ACCOUNT, 200],
  updateWebhookEndpoint: ["PUT", `${ENDPOINTS_OF_ACCOUNT}/:webhook_endpoint_id`, 200],
  deleteWebhookEndpoint: ["DELETE", `${ENDPOINTS_OF_ACCOUNT}/:webhook_endpoint_id`, 204],
  rotateWebhookEndpointSecret: ["POST", `${ENDPOINTS_OF_ACCOUNT}/:webhook_endpoint_id:rotate`, 200],
  resumeWebhookEndpoint: ["POST", `${ENDPOINTS_OF_ACCOUNT}/:webhook_endpoint_id:resume`, 200],
  testWebhookEndpoint: ["POST", `${ENDPOINTS_OF_ACCOUNT}/:webhook_endpoint_id:test`, 200],
  listWebhookDeliveries: ["GET", `${ENDPOINTS_OF_ACCOUNT}/:webhook_endpoint_id/deliveries`, 200],
  redeliverWebhookDelivery: [
    "POST",
    `${ENDPOINTS_OF_ACCOUNT}/:webhook_endpoint_id/deliveries/:webhook_delivery_id:redeliver`,
    200,
  ],
  redeliverWebhookDeliveries: ["POST", `${ENDPOINTS_OF_ACCOUNT}/:webhook_endpoint_id:redeliver`, 200],
  listAuditEntries: ["GET", "/call_tracking/audit_entries", 200],
};

export function findEndpoint(method: string): Endpoint | undefined {
  return (ENDPOINTS as Readonly<Record<string, Endpoint>>)[method];
}

/**
 * Replaces the variables in a path. A colon at the start of a segment begins a variable. A colon within a segment begins a custom method, as in
 * `pools:export`.
 */
export function fillPath(path: string, read: (name: string) => unknown): string {
  return path.replace(/(?<=\/):(\w+)/g, (_, name: string) => encodeURIComponent(String(read(name))));
}

/** Creates a client that sends `headers` with every request and checks every response against the OpenAPI document. */
export function createJsonClient(baseUrl: string, headers: Readonly<Record<string, string>> = {}): ApiClient {
  const send = async (method: string, request: RequestFields = {}) => {
    const endpoint = findEndpoint(method) as Endpoint;
    const { status, headers: received, text } = await sendJson(baseUrl, endpoint, request, headers);
    if (status === endpoint[2]) return { headers: received, body: text === "" ? undefined : JSON.parse(text) };
    throw new RefusedError(expectErrorShape(status, received.get("content-type"), text));
  };
  const call = (method: string) => async (request?: RequestFields) => {
    const { body, headers: received } = await send(method, request);
    if (!method.startsWith("list")) return body;
    const cursor = received.get("x-event-cursor");
    if (method === "listEvents") return { entries: body, nextCursor: cursor };
    return { entries: body, nextPageToken: received.get("x-next-page-token") ?? "" };
  };
  return {
    ...(Object.fromEntries(Object.keys(ENDPOINTS).map((name) => [name, call(name)])) as unknown as ApiClient),
    etagFrom: async (method, request) => (await send(method, request)).headers.get("etag") ?? "",
    close: () => {},
  };
}

/** Request fields that are sent as headers. */
const HEADERS = { etag: "if-match", if_none_match: "if-none-match", request_id: "idempotency-key" };

/** Sends a request to an endpoint. The response must match the OpenAPI document. */
export async function sendJson(
  baseUrl: string,
  [verb, path]: Endpoint,
  request: RequestFields,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  const rest = { ...request };
  const target = fillPath(path, (name) => {
    delete rest[name];
    return request[name];
  });
  const apart: Record<string, string> = { ...headers };
  for (const [name, header] of Object.entries(HEADERS)) {
    if (rest[name] !== undefined) apart[header] = String(rest[name]);
    delete rest[name];
  }
  // Watch requests end only at their deadline.
  if (path.endsWith(":watch")) apart["x-server-timeout"] ??= "0.2";
  const query = verb === "GET" ? queryOf(rest) : "";
  const sendsBody = verb !== "GET" && Object.keys(rest).length > 0;
  const response = await fetch(`${baseUrl}${target}${query && `?${query}`}`, {
    method: verb,
    headers: sendsBody ? { ...apart, "content-type": "application/json" } : apart,
    ...(sendsBody && { body: JSON.stringify(rest) }),
  });
  const answer = { status: response.status, headers: response.headers, text: await response.text() };
  expectDocumented(verb, target, answer);
  // A busy server needs more time before the response begins.
  if (path.endsWith(":watch") && answer.status === 504) {
    const seconds = String(4 * Number(apart["x-server-timeout"]));
    return sendJson(baseUrl, [verb, path, 200], request, { ...headers, "x-server-timeout": seconds });
  }
  return answer;
}

/** Returns the query string of a request. Lists become repeated parameters. */
function queryOf(fields: RequestFields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, String(each)]),
  );
  return new URLSearchParams(pairs).toString();
}
