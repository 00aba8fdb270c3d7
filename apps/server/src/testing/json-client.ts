import type { ApiClient, MethodName, RequestFields } from "./api-client.js";
import { expectErrorShape } from "./error-shape.js";
import { expectDocumented } from "./expect-documented.js";
import { RefusedError } from "./refusal.js";

const CALLS = "/dni_manager/accounts/:account_id/calls";
const CALL_TRACKERS = "/dni_manager/accounts/:account_id/pools/:pool_id/call_trackers";

/** The documented HTTP method, path and success status of each method. */
const endpoints: Readonly<Record<MethodName, readonly [verb: string, path: string, status: number]>> = {
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
  explainCall: ["GET", "/dni_manager/calls/:tracking_number:explain", 200],
  resolveNumbers: ["GET", "/dni_manager/accounts/:account_id/properties/:property_token/numbers", 200],
  resolveVisit: ["POST", "/dni_manager/accounts/:account_id/properties/:property_token/visits:resolve", 200],
  reportVisit: ["POST", "/dni_manager/accounts/:account_id/properties/:property_token/visits", 200],
  resolveCall: ["GET", "/dni_manager/calls/:tracking_number", 200],
  createCall: ["POST", "/dni_manager/calls", 201],
  batchCreateCalls: ["POST", "/dni_manager/calls:batch", 200],
  getCall: ["GET", `${CALLS}/:id`, 200],
  listCalls: ["GET", CALLS, 200],
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
  listAuditEntries: ["GET", "/call_tracking/audit_entries", 200],
};

/**
 * Creates a client of the documented JSON paths. It checks every response against the OpenAPI document.
 *
 * @param headers added to every request.
 */
export function createJsonClient(baseUrl: string, headers: Readonly<Record<string, string>> = {}): ApiClient {
  const call =
    (method: MethodName) =>
    async (request: RequestFields = {}) => {
      const answer = await send(baseUrl, headers, method, request);
      if (!method.startsWith("list")) return answer.body;
      return { entries: answer.body, nextPageToken: answer.headers.get("x-next-page-token") ?? "" };
    };
  const names = Object.keys(endpoints) as MethodName[];
  return {
    ...(Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as ApiClient),
    etagFrom: async (method, request) => (await send(baseUrl, headers, method, request)).headers.get("etag") ?? "",
    close: () => {},
  };
}

/** Request fields that are sent as headers. */
const HEADERS = { etag: "if-match", if_none_match: "if-none-match", request_id: "idempotency-key" };

async function send(
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  method: MethodName,
  request: RequestFields,
): Promise<{ readonly headers: Headers; readonly body: unknown }> {
  const [verb, path, successStatus] = endpoints[method];
  const rest = { ...request };
  // A variable is a whole segment. A colon within a segment starts a custom method, as in `tracking_numbers:add`.
  const target = path.replace(/(?<=\/):(\w+)/g, (_, name: string) => {
    delete rest[name];
    return encodeURIComponent(String(request[name]));
  });
  const apart: Record<string, string> = { ...headers };
  for (const [name, header] of Object.entries(HEADERS)) {
    if (rest[name] !== undefined) apart[header] = String(rest[name]);
    delete rest[name];
  }
  const query = verb === "GET" ? queryOf(rest) : "";
  const sendsBody = verb !== "GET" && Object.keys(rest).length > 0;
  const response = await fetch(`${baseUrl}${target}${query && `?${query}`}`, {
    method: verb,
    headers: sendsBody ? { ...apart, "content-type": "application/json" } : apart,
    ...(sendsBody && { body: JSON.stringify(rest) }),
  });
  const text = await response.text();
  expectDocumented(verb, target, { status: response.status, headers: response.headers, text });
  if (response.status === successStatus) {
    return { headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  }
  throw new RefusedError(expectErrorShape(response.status, response.headers.get("content-type"), text));
}

/** Returns the query string of a request. Lists become repeated parameters. */
function queryOf(fields: RequestFields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, String(each)]),
  );
  return new URLSearchParams(pairs).toString();
}
