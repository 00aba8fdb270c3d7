import { randomBytes } from "node:crypto";
import { createSignatureHeaders } from "../../examples/phone-simulator/signatures.ts";
import { formatMarkdownTable } from "../markdown-table.ts";
import { startPeer } from "../peers/peer.ts";
import { calltrackPeer } from "../peers/peers.ts";
import { startPostgres } from "../postgres.ts";
import { publishResults } from "../results-page.ts";
import { startScaledServer } from "../scale/scaled-server.ts";
import { INSERT_HOLDERS } from "../tracking-number-holders.ts";
import { requestJson } from "../workloads/send-json.ts";
import { type LatencyPercentiles, sendAtConstantRate } from "./paced-load.ts";
import { runWhilePostgresIsStopped } from "./run-while-postgres-is-stopped.ts";

const PER_SECOND = 200;
const PUBLIC_URL = "https://calls.example";
const AUTH_TOKEN = "12345678901234567890123456789012";
const ACCOUNT_SID = `AC${"0".repeat(32)}`;

const FULL = { pools: 1_000_000, seconds: 60, stalledSeconds: 30 };
const QUICK = { pools: 100_000, seconds: 10, stalledSeconds: 5 };

/**
 * Measures latencies at 200 requests per second: of voice requests, of GET requests for the same routes, and of voice requests while the database is
 * stalled. Prints the results. A full run also writes them to the results page.
 */
export async function runVoiceBenchmark(resources: AsyncDisposableStack, quick: boolean): Promise<void> {
  const { pools, seconds, stalledSeconds } = quick ? QUICK : FULL;
  const { url } = await startPostgres(resources);
  const { client, databaseUrl } = await startScaledServer(resources, url, pools);
  await client.query(INSERT_HOLDERS);
  const { rows } = await client.query<{ number: string }>(SAMPLE_NUMBERS);
  const numbers = rows.map(({ number }) => number);
  const environment = { ...calltrackPeer.environment, PUBLIC_URL, SECRETS_KEY: randomBytes(32).toString("base64") };
  const { port } = await startPeer(resources, { ...calltrackPeer, environment }, databaseUrl);
  const voicePath = await createPhoneSystem(port);
  const numberOf = (index: number) => numbers[index % numbers.length] as string;

  async function ring(index: number): Promise<void> {
    const form = new URLSearchParams({
      ...{ CallSid: `CA${randomBytes(16).toString("hex")}`, AccountSid: ACCOUNT_SID, CallStatus: "ringing" },
      ...{ From: `+1415${String(5_550_000 + index)}`, To: numberOf(index) },
    });
    const headers = createSignatureHeaders("twilio", AUTH_TOKEN, PUBLIC_URL + voicePath, form);
    const response = await fetch(`http://127.0.0.1:${port}${voicePath}`, { method: "POST", headers, body: form });
    const text = await response.text();
    if (response.status !== 200 || !text.includes("<Dial")) throw new Error(`voice: ${response.status} ${text}`);
  }

  async function resolve(index: number): Promise<void> {
    await requestJson(port, { method: "GET", path: `/dni_manager/calls/${encodeURIComponent(numberOf(index))}` });
  }

  await sendAtConstantRate(ring, PER_SECOND, 5);
  const get = await sendAtConstantRate(resolve, PER_SECOND, seconds);
  const voice = await sendAtConstantRate(ring, PER_SECOND, seconds);
  const stalled = await runWhilePostgresIsStopped(client, () => sendAtConstantRate(ring, PER_SECOND, stalledSeconds));
  await publishResults("voice", formatPage(pools, seconds, stalledSeconds, { get, voice, stalled }), !quick);
}

async function createPhoneSystem(port: number): Promise<string> {
  const body = JSON.stringify({
    ...{ name: "benchmark", kind: "twilio", account_sid: ACCOUNT_SID, secret: AUTH_TOKEN },
    ...{ fallback_number: "+12220000000", allowed_prefixes: ["+1"] },
  });
  const created = await requestJson(port, { method: "POST", path: "/call_tracking/phone_systems", body });
  return new URL(JSON.parse(created).phone_system.voice_url).pathname;
}

function formatPage(
  pools: number,
  seconds: number,
  stalledSeconds: number,
  results: Readonly<Record<"get" | "voice" | "stalled", LatencyPercentiles>>,
): string {
  const row = (title: string, { count, p50, p99, p999, max }: LatencyPercentiles) => [
    title,
    count.toLocaleString("en"),
    ...[p50, p99, p999, max].map((ms) => `${ms.toFixed(1)} ms`),
  ];
  return `# Results of the voice benchmark

${PER_SECOND} requests per second for ${seconds} s, on a database with ${pools.toLocaleString("en")} pools. Each voice request is signed, finds its route, and
records a call before the server responds. Latencies count from the time that a request was due. See [README](README.md#voice).

${formatMarkdownTable(
  ["request", "requests", "p50", "p99", "p99.9", "max"],
  [
    row("GET of the same route", results.get),
    row("voice", results.voice),
    row(`voice, with PostgreSQL stopped for ${stalledSeconds} s`, results.stalled),
  ],
)}

The limits are 200 ms for p99, and 1 s for every request while the database is stalled.
`;
}

const SAMPLE_NUMBERS = `
  select phone_number as number from tracking_numbers where state = 'assigned' order by md5(phone_number) limit 20000`;
