import { once } from "node:events";
import { Agent, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type DescMessage, type DescMethod, fromJson, type JsonObject, ScalarType, toBinary } from "@bufbuild/protobuf";
import { API_SERVICES } from "@calltrack/domain";
import { DniService } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { startChildProcess, waitForOutputLine } from "../child-process.ts";
import { formatMarkdownTable } from "../markdown-table.ts";
import { calltrackPeer } from "../peers/peers.ts";
import { connectToPostgres, startPostgres } from "../postgres.ts";
import { INSERT_LOOP_ROWS_STATEMENTS, LOOP_POOL_ID } from "./loop-rows.ts";
import { createWorstTextRequests, type WorstTextRequest } from "./worst-texts.ts";

const ROUNDS = 20;
const QUICK_ROUNDS = 5;
/** Rounds of the worst texts. Each round sends all texts for a header field, query parameter or path. */
const WORST_TEXT_ROUNDS = 3;
const LIMIT_MS = 50;
const AGENT = new Agent({ keepAlive: true });
const MIB = 1024 * 1024;
const MAX_VALUES = 50_000;

const METHODS = API_SERVICES.flatMap(({ methods }): readonly DescMethod[] => methods).filter(
  ({ methodKind }) => methodKind === "unary",
);

interface Result {
  readonly name: string;
  readonly status: number;
  readonly median: number;
  readonly max: number;
}

interface Probe {
  readonly name: string;
  readonly path: string;
  readonly type?: "application/json" | "application/proto";
  readonly body?: Buffer;
}

/**
 * Measures how long single requests block the server's event loop, in CPU time of the event loop's thread. Sends requests with the worst bodies to
 * each method. Also sends requests with the worst texts in each header field, query parameter and path. Prints the median and maximum for each
 * request, the longest first.
 */
export async function runEventLoopBenchmark(resources: AsyncDisposableStack, quick: boolean): Promise<void> {
  const { url: databaseUrl } = await startPostgres(resources);
  const env = {
    ...process.env,
    ...calltrackPeer.environment,
    DATABASE_URL: databaseUrl,
    PORT: "0",
    PUBLIC_URL: "http://localhost",
    LOG_LEVEL: "silent",
  };
  const monitor = ["--import", import.meta.resolve("./loop-monitor.ts")];
  const args = [...calltrackPeer.flags, ...monitor, fileURLToPath(calltrackPeer.program)];
  const server = startChildProcess(resources, process.execPath, args, {
    env,
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const [, port] = await waitForOutputLine(server, /^listening on http:\/\/127\.0\.0\.1:(\d+)$/);
  const client = await connectToPostgres(resources, databaseUrl);
  await client.query(INSERT_LOOP_ROWS_STATEMENTS);
  await client.query("vacuum analyze");
  const readDelay = async () => {
    server.send({});
    return (await once(server, "message"))[0] as number;
  };
  const measure = async (name: string, rounds: number, sendOne: () => Promise<number>): Promise<Result> => {
    let status = 0;
    const delays: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await readDelay();
      status = await sendOne();
      delays.push(await readDelay());
    }
    delays.sort((a, b) => a - b);
    const [median = 0, max = 0] = [delays[delays.length >> 1], delays.at(-1)];
    return { name, status, median, max };
  };
  const rounds = quick ? QUICK_ROUNDS : ROUNDS;
  const results: Result[] = [];
  for (const probe of METHODS.flatMap(probesOf))
    results.push(await measure(probe.name, rounds, () => send(Number(port), probe)));
  for (const [name, requests = []] of Map.groupBy(createWorstTextRequests(METHODS), ({ name }) => name)) {
    const sendAll = async () => {
      let status = 0;
      for (const worst of requests) status = await sendWorst(Number(port), worst);
      return status;
    };
    results.push(await measure(name, quick ? 1 : WORST_TEXT_ROUNDS, sendAll));
  }
  results.sort((a, b) => b.median - a.median);
  const rows = results.map(({ name, status, median, max }) => [name, `${status}`, median.toFixed(1), max.toFixed(1)]);
  console.log(formatMarkdownTable(["request", "status", "median, CPU ms", "maximum, CPU ms"], rows));
  console.log(
    `${results.filter(({ median }) => median > LIMIT_MS).length} of ${results.length} requests over ${LIMIT_MS} ms`,
  );
}

async function send(port: number, { path, type = "application/json", body }: Probe): Promise<number> {
  const headers = { "content-type": type, "content-encoding": "gzip", "connect-protocol-version": "1" };
  const init = body === undefined ? {} : { method: "POST", headers, body: gzipSync(body) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init as RequestInit);
  await response.arrayBuffer();
  return response.status;
}

/** Sends a request with `node:http`, because `fetch` does not send all header fields. Returns the status. */
async function sendWorst(port: number, { method, path, headers }: WorstTextRequest): Promise<number> {
  const sent = request({ host: "127.0.0.1", port, method, path, headers, agent: AGENT });
  const [response] = await once(sent.end(), "response");
  await buffer(response);
  return response.statusCode;
}

/** Returns the requests to a method that are expected to block the event loop longest. */
function probesOf({ parent, name, input }: DescMethod): Probe[] {
  const path = `/${parent.typeName}/${name}`;
  const json = (kind: string, body: string): Probe => ({ name: `${name}: ${kind}`, path, body: Buffer.from(body) });
  const batch = input.fields.find((field) => field.fieldKind === "list" && field.message !== undefined);
  const bytes = batch !== undefined ? 4 * MIB : parent === DniService ? 16 * 1024 : 64 * 1024;
  const texts = textsOf(input);
  const found = Object.fromEntries(Object.entries(FOUND).filter(([field]) => texts.includes(field)));
  const small = { ...found, ...EXTRA[name] };
  const probes = [
    json("small", JSON.stringify(small)),
    {
      name: `${name}: small, binary`,
      path,
      type: "application/proto",
      body: Buffer.from(toBinary(input, fromJson(input, small))),
    } as const,
    json("long texts", longTexts(texts, bytes, "x")),
    json("long texts of two-byte characters", longTexts(texts, bytes / 2, "é")),
    json("long texts of combining marks", longTexts(texts, bytes / 4, "\u0301\u0323")),
    json("unknown fields", `{${'"a":0,'.repeat(bytes / 6 - 5)}"a":0}`),
    json("a late syntax error", `{${"\n".repeat(bytes - 10)}x`),
    json("an invalid escape after many valid ones", `{"a":"${"\\n".repeat(bytes / 2 - 20)}\\q"}`),
  ];
  if (batch?.message === undefined) return probes;
  const max = batch.name === "tracking_numbers" ? 10_000 : 1000;
  const records = (kind: string, list: string) =>
    json(
      kind,
      `${JSON.stringify(found).slice(0, -1)}${texts.includes("account_id") ? "," : ""}"${batch.name}":${list}}`,
    );
  const repeat = (count: number, record: string) => `[${Array(count).fill(record).join()}]`;
  const empty = (count: number): Probe => ({
    name: `${name}: ${count} empty records, binary`,
    path,
    type: "application/proto",
    body: Buffer.alloc(2 * count, Buffer.of((batch.number << 3) | 2, 0)),
  });
  return [
    ...probes,
    records("maximum number of valid records", JSON.stringify(validRecords(batch.name, max))),
    records(
      "maximum number of records, with long texts",
      repeat(max, longTexts(textsOf(batch.message), bytes / max - 10, "x")),
    ),
    records(
      "maximum number of records, with combining marks",
      repeat(max, longTexts(textsOf(batch.message), bytes / max / 4, "\u0301\u0323")),
    ),
    ...[max, MAX_VALUES - 10, 1_300_000].map((count) => records(`${count} empty records`, repeat(count, "{}"))),
    ...[max, MAX_VALUES, 2_000_000].map(empty),
  ];
}

function textsOf({ fields }: DescMessage): string[] {
  return fields.filter(({ scalar }) => scalar === ScalarType.STRING).map(({ name }) => name);
}

/** Returns the JSON of an object with about `characters` characters. All fields in `names` have equally long texts. */
function longTexts(names: readonly string[], characters: number, fill: string): string {
  const length = Math.max(0, Math.floor((characters - 100) / names.length) - 30);
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, fill.repeat(length)])));
}

function validRecords(field: string, count: number): object[] {
  return Array.from({ length: count }, (_, n) => {
    const id = `${process.hrtime.bigint()}-${n}`;
    const number = `+1${3_000_000_000 + n}`;
    if (field === "calls")
      return { call_id: id, tracking_number: number, caller_number: number, started_at: new Date().toISOString() };
    if (field === "visits") return { event_id: id, property_token: "shop", source: `s${n}`, medium: "cpc" };
    if (field === "tracking_numbers") return { phone_number: `+1${5_000_000_000 + n}`, area_code: "222" };
    const flags = { is_dni: true, is_prompted: true, is_recorded: true };
    return { original_number: "+12000000001", area_code: "222", pool_type: "POOL_TYPE_MANUAL", size: 1, ...flags };
  });
}

/** Field values that identify existing rows. */
const FOUND = { account_id: "acme", pool_id: LOOP_POOL_ID };

/** Additional fields that give a method the most work. */
const EXTRA: Readonly<Record<string, JsonObject>> = {
  ReportCalls: {
    group_by: ["CALL_GROUPING_SOURCE", "CALL_GROUPING_DAY"],
    from: new Date(Date.now() - 864e5).toISOString(),
  },
};
