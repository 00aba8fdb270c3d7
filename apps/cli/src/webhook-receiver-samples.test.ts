import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { signWebhookRequest } from "@calltrack/domain/webhook-signature";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFolder } from "./testing/create-folder.js";
import { lacksProgram } from "./testing/lacks-program.js";
import { pollUntil } from "./testing/poll-until.js";
import { addInventory, addPool, createAccount } from "./testing/sample-pool.js";
import { startSharedServer } from "./testing/shared-server.js";

const PAGE = readFileSync(new URL("../../../docs/webhook-endpoints.md", import.meta.url), "utf8");

const NODE_MODULES = fileURLToPath(new URL("../node_modules", import.meta.url));

const lacksPython = await lacksProgram("python3", "-c", "import urllib.request");

const folder = createFolder();

/** The file names for the sample programs on the documentation page, in the order of the page's code blocks. */
const FILES = {
  js: ["receiver.mjs", "chat.mjs", "warehouse.mjs"],
  python: ["receiver.py", "crm.py"],
} as const;

/** The server that sends the events. Each test has an account of its own, which is named after its sample program. */
const server = await startSharedServer({ settings: { WEBHOOKS_ALLOW_PRIVATE: "on" } });
await addInventory(server, "222", 10);

/** A request to a receiver, or to the substitute for another service. */
interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts a server that records its requests. Returns its URL. */
async function startRecorder(answer: (request: ReceivedRequest) => Promise<number> | number): Promise<string> {
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const status = answer({ method, url, headers, body: await text(request) });
    // If the receiver does not listen yet, 503 makes the server send the event again later.
    response.writeHead(await Promise.resolve(status).catch(() => 503)).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await once(probe.listen(0, "127.0.0.1"), "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Writes the sample programs from the documentation page into a new folder, and makes them listen on a port. */
async function writePrograms(port: number): Promise<string> {
  const home = join(folder, String(port));
  await mkdir(home);
  await symlink(NODE_MODULES, join(home, "node_modules"));
  for (const [language, files] of Object.entries(FILES)) {
    const blocks = Array.from(PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm")));
    expect(blocks).toHaveLength(files.length);
    for (const [index, file] of files.entries())
      await writeFile(join(home, file), (blocks[index]?.[1] ?? "").replace("9000", String(port)));
  }
  return home;
}

/** A running sample program from the documentation page, to which a real server sends events. */
interface RunningReceiver {
  readonly home: string;
  /** The server's requests to the program. */
  readonly deliveries: readonly ReceivedRequest[];
  readonly secret: string;
  /** The text that the program has printed so far. */
  output(): string;
  /** Sends a request to the program, and returns the status of the response. */
  send(headers: Readonly<Record<string, string>>, body: string): Promise<number>;
  post(path: string, body: object): Promise<Record<string, unknown>>;
  readonly account: string;
  /** The only tracking number that a pool in the account holds. */
  readonly trackingNumber: string;
}

/** Starts a sample program from the documentation page. Creates a webhook endpoint that sends events to the program through a recorder. */
async function startReceiver(
  file: string,
  endpoint: object,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningReceiver> {
  const account = file.replace(".", "-");
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${server.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    expect(response.ok, await response.clone().text()).toBe(true);
    return (await response.json()) as Record<string, unknown>;
  };
  const port = await findFreePort();
  const home = await writePrograms(port);
  const send = async (headers: Readonly<Record<string, string>>, body: string) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body })).status;
  const deliveries: ReceivedRequest[] = [];
  const recorder = await startRecorder(async (request) => {
    deliveries.push(request);
    return send(signatureOf(request), request.body);
  });
  await createAccount(server, account);
  const pool = await addPool(server, account, "--area-code", "222");
  await pollUntil(async () => (await server.json("trackers", "list", account, pool)).length === 1);
  const [tracker] = await server.json("trackers", "list", account, pool);
  const trackingNumber = String(tracker?.tracking_number);
  const path = `/dni_manager/accounts/${account}/webhook_endpoints`;
  const secret = String((await post(path, { ...endpoint, url: `${recorder}/calltrack` })).secret);
  let output = "";
  const command = file.endsWith(".py") ? "python3" : process.execPath;
  const child = spawn(command, [file], { cwd: home, env: { ...process.env, ...env, WEBHOOK_SECRET: secret } });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.resume();
  onTestFinished(() => kill(child));
  await pollUntil(() =>
    send({}, "").then(
      () => true,
      () => false,
    ),
  );
  return { home, deliveries, secret, output: () => output, send, post, account, trackingNumber };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

function signatureOf({ headers }: ReceivedRequest): Record<string, string> {
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  return Object.fromEntries(names.map((name) => [name, String(headers[name])]));
}

describe.for([
  { file: "receiver.mjs", isMissing: false },
  { file: "receiver.py", isMissing: lacksPython },
])("the receiver $file", ({ file, isMissing }) => {
  test.skipIf(isMissing)("accepts a delivery, and rejects forged, altered and old ones", async () => {
    const { deliveries, secret, output, send, post, account } = await startReceiver(file, {});
    const endpoints = `/dni_manager/accounts/${account}/webhook_endpoints`;
    const [endpoint] = (await (await fetch(server.url + endpoints)).json()) as [{ id: string }];
    const path = `${endpoints}/${endpoint.id}`;
    await post(`${path}:test`, {});
    await pollUntil(async () => {
      const response = await fetch(`${server.url}${path}/deliveries?status=delivered`);
      const delivered = (await response.json()) as { event: { type: string } }[];
      return delivered.some(({ event }) => event.type === "webhook_endpoint.test");
    });
    await pollUntil(async () => output().includes(`webhook_endpoint.test ${path}\n`));
    const real = deliveries.find(({ body }) => body.includes("webhook_endpoint.test")) as ReceivedRequest;
    const { body } = real;
    const { id } = JSON.parse(body);
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const other = `whsec_${Buffer.alloc(32).toString("base64")}`;
    expect({
      again: await send(signatureOf(real), body),
      rotating: await send(signWebhookRequest(id, minutesAgo(0), body, [other, secret]), body),
      altered: await send(signatureOf(real), body.replace(account, "evil")),
      renamed: await send({ ...signatureOf(real), "webhook-id": "another" }, body),
      forged: await send(signWebhookRequest(id, minutesAgo(0), body, [other]), body),
      old: await send(signWebhookRequest(id, minutesAgo(6), body, [secret]), body),
      future: await send(signWebhookRequest(id, minutesAgo(-6), body, [secret]), body),
      unsigned: await send({}, body),
      malformed: await send({ "webhook-id": "", "webhook-timestamp": "now", "webhook-signature": "v1" }, body),
    }).toEqual({
      ...{ again: 204, rotating: 204 },
      ...{ altered: 400, renamed: 400, forged: 400, old: 400, future: 400, unsigned: 400, malformed: 400 },
    });
  });
});

/** Records a missed call, and returns its resource. */
async function recordMissedCall({ trackingNumber }: RunningReceiver): Promise<Record<string, unknown>> {
  const ended = new Date().toISOString();
  const times = ["--started-at", ended, "--ended-at", ended];
  const flags = ["--call-id", "1", "--caller", "+12125550123", ...times, "--outcome", "missed"];
  return server.json("calls", "record", trackingNumber, ...flags);
}

test("chat.mjs posts one message about a missed call, even after the chat failed", async () => {
  const messages: ReceivedRequest[] = [];
  const chat = await startRecorder((request) => (messages.push(request) === 1 ? 503 : 200));
  const types = ["call.ended", "call.updated"];
  const receiver = await startReceiver("chat.mjs", { types }, { CHAT_URL: `${chat}/hook` });
  const { home, deliveries, send } = receiver;
  await recordMissedCall(receiver);
  await pollUntil(async () => messages.length === 2 && existsSync(join(home, "told.txt")));
  expect(JSON.parse(messages[1]?.body ?? "")).toEqual({ text: "Missed call from +12125550123 (unknown / unknown)" });
  const [delivery] = deliveries as [ReceivedRequest];
  expect(await send(signatureOf(delivery), delivery.body)).toBe(204);
  expect(messages).toHaveLength(2);
});

test.skipIf(lacksPython)("crm.py keeps a row for a call, and deletes it when the caller is forgotten", async () => {
  const rows = new Map<string, unknown>();
  const tokens = new Set<string | undefined>();
  const crm = await startRecorder(({ method, url = "", headers, body }) => {
    tokens.add(headers.authorization);
    if (method === "PUT") rows.set(url, JSON.parse(body));
    else rows.delete(url);
    return 200;
  });
  const endpoint = { types: ["call.*"], ordered: true };
  const receiver = await startReceiver("crm.py", endpoint, { CRM_URL: crm, CRM_TOKEN: "secret" });
  const call = await recordMissedCall(receiver);
  await pollUntil(async () => rows.has(`/calls/${call.id}`));
  expect([...rows.values()]).toEqual([{ phone: "+12125550123", source: null, outcome: "missed", at: call.started_at }]);
  await server.json("calls", "forget", receiver.account, "+12125550123");
  await pollUntil(async () => rows.size === 0);
  expect([...tokens]).toEqual(["Bearer secret"]);
});

test("warehouse.mjs inserts each version of a call", async () => {
  const inserts: ReceivedRequest[] = [];
  const warehouse = await startRecorder((request) => {
    inserts.push(request);
    return 200;
  });
  const receiver = await startReceiver("warehouse.mjs", { types: ["call.*"] }, { CLICKHOUSE_URL: warehouse });
  const call = await recordMissedCall(receiver);
  await pollUntil(async () => inserts.length > 0);
  const [insert] = inserts as [ReceivedRequest];
  const query = new URL(insert.url ?? "", warehouse).searchParams.get("query") ?? "";
  const [, names = ""] = /^insert into calls \(([\w,]+)\) format JSONEachRow$/.exec(query) ?? [];
  const row = JSON.parse(insert.body);
  expect(Object.keys(row)).toEqual(names.split(","));
  expect(row).toMatchObject({ id: call.id, outcome: "missed", started_at: call.started_at });
  const [, table = ""] = /^create table calls \(([^;]*?)\)\nengine/m.exec(PAGE) ?? [];
  expect(table.split(/,\s+/).map((column) => column.split(" ")[0])).toEqual(names.split(","));
});
