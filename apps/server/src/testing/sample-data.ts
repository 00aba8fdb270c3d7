import { createJsonClient } from "./json-client.js";
import {
  createAutomanagedPoolFields,
  createManualPoolFields,
  getPoolKeyFields,
  newAccount,
  newAccountWithNumber,
  uniqueToken,
} from "./request-fields.js";

/** Contains characters that JSON, CSV and PostgreSQL escape differently. */
const AWKWARD_TEXT = "Büro \"1\", 'x' \\N \\u0041 {a,b} \u2028 \u{1F4DE} %";

/** A request with an idempotency key, and the response that a retry must get. */
export interface StoredRequest {
  readonly path: string;
  readonly init: RequestInit;
  readonly answer: string;
}

/** Adds rows to every table of a server with a virtual clock. Returns a request whose response is stored under an idempotency key. */
export async function addSampleData(url: string): Promise<StoredRequest> {
  const api = createJsonClient(url);
  const { account, number } = await newAccountWithNumber(api);
  await api.updateAccount({ id: (await newAccount(api)).id, is_active: false });
  const numbers = Array.from({ length: 12 }, (_, index) => `+1222000${String(index).padStart(4, "0")}`);
  const { phone_system } = await api.createPhoneSystem({
    name: AWKWARD_TEXT,
    kind: "sip",
    fallback_number: "+15550003333",
  });
  await api.rotatePhoneSystemCredentials({ phone_system_id: phone_system.id });
  await api.addTrackingNumbers({
    tracking_numbers: numbers.map((phone_number) => {
      return { phone_number, area_code: "0123", phone_system_id: phone_system.id };
    }),
  });
  await api.retireTrackingNumber({ phone_number: numbers[11] });
  const pool = await api.createPool(
    createAutomanagedPoolFields(account, number, { utilization: 0.1, description: AWKWARD_TEXT }),
  );
  const manual = await api.createPool(createManualPoolFields(account, number, { size: 3 }));
  await api.createPool(createManualPoolFields(account, number, { area_code: "9", size: 2 }));
  const visits = ["google", "bing", "☎"].map((source, index) => {
    return { event_id: uniqueToken(), property_token: "shop", source, medium: "cpc", count: 1000 * (index + 1) };
  });
  await api.recordVisits({ account_id: account.account_token, visits });
  // The first pass assigns numbers to the pools. The second pass assigns these numbers to sources, and returns one number to the inventory.
  await api.advanceClock({ by: "86400s" });
  await api.updatePool({ ...getPoolKeyFields(account, pool), size: 3 });
  await api.advanceClock({ by: "86400.5s" });
  const [tracker] = (await api.listCallTrackers(getPoolKeyFields(account, manual))).entries;
  await api.updateCallTracker({ ...getPoolKeyFields(account, manual), call_tracker_id: tracker?.id });
  await api.flagCallTracker({ ...getPoolKeyFields(account, manual), call_tracker_id: tracker?.id });
  const first = { tracking_number: tracker?.tracking_number, caller_number: "+15550002222" };
  const call = await api.createCall({ ...first, call_id: '☎\\N"1' });
  await api.updateCall({ account_id: account.account_token, id: call.id, ended_at: call.started_at });
  await api.createCall({ ...first, call_id: "2" });
  await api.updateCallFlow({
    ...getPoolKeyFields(account, manual),
    settings: { prompt_text: AWKWARD_TEXT.replaceAll(/[{}]/g, "") },
  });
  await api.updateDefaultCallFlow({ account_id: account.account_token, settings: { ring_seconds: 30 } });
  await api.updateSourceAliases({
    account_id: account.account_token,
    aliases: [{ name: AWKWARD_TEXT.replaceAll(/\p{C}/gu, ""), source: "google" }],
  });
  const account_id = account.account_token;
  const { webhook_endpoint } = await api.createWebhookEndpoint({
    ...{ account_id, url: "https://hooks.example/", description: AWKWARD_TEXT, types: ["call.*"] },
  });
  await api.testWebhookEndpoint({ account_id, webhook_endpoint_id: webhook_endpoint.id });
  const { api_key } = await api.createApiKey({ scopes: ["read", "dni"], account_id: account.account_token });
  await api.createApiKey({ scopes: ["admin"], description: AWKWARD_TEXT });
  await api.revokeApiKey({ api_key_id: api_key.id });
  return sendOnce(url, account.account_token);
}

async function sendOnce(url: string, account: string): Promise<StoredRequest> {
  const path = `/dni_manager/accounts/${account}/phone_numbers`;
  const init = {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": uniqueToken() },
    body: JSON.stringify({ phone_number: "+15550001111", description: AWKWARD_TEXT }),
  };
  const response = await fetch(url + path, init);
  return { path, init, answer: await response.text() };
}

/** Returns the status, ETag and body of the response to each read request, keyed by path. */
export async function readAllResources(url: string): Promise<Readonly<Record<string, string>>> {
  const answers: Record<string, string> = {};
  const read = async (path: string) => {
    const response = await fetch(url + path);
    const text = await response.text();
    answers[path] = `${response.status} ${response.headers.get("etag")} ${text}`;
    return JSON.parse(text);
  };
  for (const path of ["tracking_numbers", "tracking_numbers:count"]) await read(`/dni_manager/${path}`);
  for (const path of ["api_keys", "phone_systems", "audit_entries"]) await read(`/call_tracking/${path}`);
  for (const { account_token } of await read("/call_tracking/accounts")) {
    const account = `/dni_manager/accounts/${account_token}`;
    await read(`/call_tracking/accounts/${account_token}`);
    for (const path of [
      "call_flow",
      "source_aliases",
      "phone_numbers",
      "properties/shop/numbers",
      "pools:export",
      "calls:export",
      "calls:report?group_by=source&group_by=day",
    ])
      await read(`${account}/${path}`);
    for (const { id } of await read(`${account}/pools`)) {
      for (const path of [":explain", "/history", "/call_flow"]) await read(`${account}/pools/${id}${path}`);
      for (const { tracking_number } of await read(`${account}/pools/${id}/call_trackers`)) {
        await read(`/dni_manager/calls/${encodeURIComponent(tracking_number)}`);
      }
    }
  }
  return answers;
}
