// Simulates a week of visitors in a few seconds, then serves a shop's page, which shows each visitor the number for their source. See README.md.
import { setTimeout as sleep } from "node:timers/promises";
import { computeShopTime, findLastMonday, HOURS_OPEN_PER_DAY } from "./business-hours.ts";
import { CallReceiver } from "./call-receiver.ts";
import { SIMULATED_PROVIDER, simulateCallsOfDay } from "./callers.ts";
import { type CreatedPool, createCalltrackClient } from "./calltrack-client.ts";
import { startCalltrack } from "./calltrack-server.ts";
import { serveShopPage, WEBHOOK_PATH } from "./page-server.ts";
import { readFreePort } from "./ports.ts";
import { type CallReportRow, formatDayReport, formatWeekReport, type PoolExplanation } from "./report.ts";
import { createVisits, WEEKDAYS } from "./visitors.ts";

const ACCOUNT = "harbour-bikes";
const PROPERTY = "harbour-bikes.example";
/** The number on the shop's page. */
const SHOP_NUMBER = "+14155550100";
const AREA_CODE = "628";

/** When the visits of a day are recorded, in hours relative to the opening of the shop. */
const RECORDED_AT_HOURS = -0.5;

const ports = await readPorts();
const monday = findLastMonday(new Date());
const calltrack = await startCalltrack(ports.calltrack, computeShopTime(monday, 0, -1));
const api = createCalltrackClient(calltrack.url);
const pool = await openPool();
const voiceUrl = await connectPhones();
/** The number of calls that visitors made, keyed by source. */
const made = new Map<string, number>();
for (let day = 0; day < WEEKDAYS.length; day++) await simulateDay(day);
console.log(formatWeekReport(await reportWeek(), made));
await calltrack.moveTo(new Date());
await calltrack.runPasses();
const endpoint = await openWebhookEndpoint();
const receiver = new CallReceiver(endpoint.secret);
const page = await serveShopPage(ports.shop, calltrack.url, ACCOUNT, PROPERTY, (headers, body) =>
  receiver.receive(headers, body),
);
await receiveWeek();

console.log(`
The shop's webhook endpoint received ${receiver.calls.length} calls. The shop should call back ${countUnanswered()} callers.

Open the shop as a visitor
  from a Google ad         ${page.url}/?gclid=abc
  from Instagram           ${page.url}/?utm_source=instagram&utm_medium=social
  from the newsletter      ${page.url}/?utm_source=newsletter&utm_medium=email
  who typed the address    ${page.url}/
Use a private window for each address, because a visit lasts as long as its tab.
The console, with the pool, its timeline and calls: ${calltrack.url}/console/#/accounts/${ACCOUNT}/pools
The API: ${calltrack.url}/docs

Press Ctrl-C to stop.`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    page.close();
    await calltrack.stop();
    process.exit(0);
  });
}

/** Reads the ports. Exits if a port is invalid or in use. */
async function readPorts() {
  try {
    return { calltrack: await readFreePort("PORT", 8080), shop: await readFreePort("SHOP_PORT", 8081) };
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}

/** Creates the shop's account, registers the shop's number, fills the inventory, and creates a pool for the number. */
async function openPool(): Promise<CreatedPool> {
  await api.post("/call_tracking/accounts", { account_token: ACCOUNT });
  await api.post(`/dni_manager/accounts/${ACCOUNT}/phone_numbers`, { phone_number: SHOP_NUMBER });
  await api.post("/dni_manager/tracking_numbers:add", {
    tracking_numbers: Array.from({ length: 12 }, (_, index) => {
      return { phone_number: `+1628${5_550_101 + index}`, area_code: AREA_CODE };
    }),
  });
  return api.post<CreatedPool>(`/dni_manager/accounts/${ACCOUNT}/pools`, {
    original_number: SHOP_NUMBER,
    area_code: AREA_CODE,
    property_token: PROPERTY,
    pool_type: "automated",
    size: 8,
    utilization: 0.625,
    is_dni: true,
    is_prompted: false,
    is_recorded: false,
  });
}

/** Records the visits of a day, simulates the calls of the day, and prints the changes to the call trackers. */
async function simulateDay(day: number): Promise<void> {
  const ownPool = `/dni_manager/accounts/${ACCOUNT}/pools/${pool.id}`;
  const before = (await api.get<unknown[]>(`${ownPool}/history`)).length;
  await calltrack.moveTo(computeShopTime(monday, day, RECORDED_AT_HOURS));
  await api.post(`/dni_manager/accounts/${ACCOUNT}/visits`, { visits: createVisits(day, PROPERTY) });
  await calltrack.moveTo(computeShopTime(monday, day, 0));
  await calltrack.runPasses();
  const explanation = await api.get<PoolExplanation>(`${ownPool}:explain`);
  for (const [source, count] of await simulateCallsOfDay(calltrack, voiceUrl, monday, day, explanation.sources)) {
    made.set(source, (made.get(source) ?? 0) + count);
  }
  await calltrack.moveTo(computeShopTime(monday, day, HOURS_OPEN_PER_DAY));
  await calltrack.runPasses();
  const history = await api.get<unknown[]>(`${ownPool}/history`);
  console.log(formatDayReport(WEEKDAYS[day] ?? "", explanation, history.slice(before) as never));
}

/** Creates a phone system for the simulated provider. Returns its voice URL. */
async function connectPhones(): Promise<string> {
  const { kind, accountSid, authToken } = SIMULATED_PROVIDER;
  const fields = { name: "Simulator", kind, account_sid: accountSid, secret: authToken, fallback_number: SHOP_NUMBER };
  const created = await api.post<{ readonly phone_system: { readonly voice_url: string } }>(
    "/call_tracking/phone_systems",
    {
      ...fields,
      allowed_prefixes: ["+1"],
    },
  );
  return created.phone_system.voice_url;
}

/** Creates the shop's webhook endpoint for ended and updated calls. Returns the endpoint's id, and the secret that verifies its requests. */
async function openWebhookEndpoint(): Promise<{ readonly id: string; readonly secret: string }> {
  const created = await api.post<{ readonly webhook_endpoint: { readonly id: string }; readonly secret: string }>(
    `/dni_manager/accounts/${ACCOUNT}/webhook_endpoints`,
    { url: `http://127.0.0.1:${ports.shop}${WEBHOOK_PATH}`, types: ["call.ended", "call.updated"] },
  );
  return { id: created.webhook_endpoint.id, secret: created.secret };
}

/** Redelivers the calls of the week, which took place before the webhook endpoint existed. Waits until all calls have arrived. */
async function receiveWeek(): Promise<void> {
  await api.post(`/dni_manager/accounts/${ACCOUNT}/webhook_endpoints/${endpoint.id}:redeliver`, { since: monday });
  const count = [...made.values()].reduce((sum, calls) => sum + calls, 0);
  while (receiver.calls.length < count) await sleep(20);
}

function countUnanswered(): number {
  return receiver.calls.filter(({ outcome }) => ["missed", "abandoned", "busy"].includes(outcome)).length;
}

async function reportWeek(): Promise<readonly CallReportRow[]> {
  const [from, to] = [0, 7].map((day) => new Date(monday.getTime() + day * 86_400_000).toISOString());
  return api.get(`/dni_manager/accounts/${ACCOUNT}/calls:report?group_by=source&group_by=medium&from=${from}&to=${to}`);
}
