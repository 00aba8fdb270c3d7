import { once } from "node:events";
import { rename, writeFile } from "node:fs/promises";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { Agent } from "node:https";
import { text } from "node:stream/consumers";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { Scope } from "@calltrack/domain";
import { afterAll, describe, expect, test } from "vitest";
import { createAuthority } from "../testing/authority.js";
import { type Certificate, createCertificate } from "../testing/certificate.js";
import { createBearerHeaders, createTestAdminKey } from "../testing/credentials.js";
import { callUnary, getApiMethodDefinition } from "../testing/grpc-client.js";
import { createGrpcOverTls, sendHttps } from "../testing/over-tls.js";
import { startTestServer } from "../testing/test-server.js";
import { createTlsFiles } from "../testing/tls-files.js";

const ACCOUNTS = "/call_tracking/accounts";

const SWITCH = { names: [{ type: "url", value: "spiffe://example.org/switch" }] } as const;
const BILLING = { names: [{ type: "dns", value: "billing.internal" }] } as const;
const NUL_URI = { type: "url", value: "https://example.org/\0" } as const;
const OTHER = { subject: "CN=reports" } as const;

const files = await createTlsFiles();
const { certificate: pair, authority } = files;
const server = await startTestServer("postgres", {
  tls: files.names,
  auth: {
    keys: true,
    issuer: undefined,
    certificates: {
      byName: new Map<string, ReadonlySet<Scope>>([
        ["spiffe://example.org/switch", new Set(["dni"])],
        ["billing.internal", new Set(["read", "write"])],
      ]),
      others: new Set(["read"]),
    },
  },
});
const adminKey = await createTestAdminKey(server.database);

afterAll(() => server.stop());

/** Atomically replaces the file with the authorities for client certificates. */
async function putAuthorities(content: string): Promise<void> {
  const { clientCaFile } = files.names;
  await writeFile(`${clientCaFile}.next`, content);
  await rename(`${clientCaFile}.next`, clientCaFile);
}

const openSessions: ClientHttp2Session[] = [];

function openSession(certificate?: Certificate): ClientHttp2Session {
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: pair.cert, ...certificate });
  session.on("error", () => {});
  openSessions.push(session);
  return session;
}

afterAll(() => {
  for (const session of openSessions) session.destroy();
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

async function getOn(session: ClientHttp2Session, path: string, headers = {}): Promise<Answer> {
  const stream = session.request({ ":path": path, ...headers });
  const [received] = await once(stream, "response");
  return { status: Number(received[":status"]), text: await text(stream), headers: received };
}

function getOver(agent: Agent, path: string): Promise<Answer> {
  return sendHttps({ port: server.port, path, agent });
}

function reasonOf({ text }: Answer): unknown {
  return JSON.parse(text).error.details.at(-1).reason;
}

describe("a client certificate authenticates", () => {
  test("over HTTP/1.1 and HTTP/2", async () => {
    const certificate = await authority.issue(OTHER);
    const agent = new Agent({ ca: pair.cert, ...certificate });
    const session = openSession(certificate);
    expect(await getOver(agent, ACCOUNTS)).toMatchObject({ status: 200 });
    expect(await getOn(session, ACCOUNTS)).toMatchObject({ status: 200 });
    expect(await getOn(session, "/dni_manager/calls/+14155550142")).toMatchObject({ status: 403 });
    agent.destroy();
  });

  test("over gRPC, for unary calls and streams", async () => {
    const client = createGrpcOverTls(server.port, pair.cert, await authority.issue(BILLING));
    await callUnary(client, getApiMethodDefinition("AccountService", "CreateAccount"), {
      account_token: "by-certificate",
    });
    const { path, requestSerialize, responseDeserialize } = getApiMethodDefinition("PoolService", "ExportPools");
    const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, {
      account_id: "by-certificate",
    });
    await once(stream.resume(), "end");
    await expect(callUnary(client, getApiMethodDefinition("ApiKeyService", "ListApiKeys"), {})).rejects.toThrow(
      "scope admin",
    );
    client.close();
  });

  test("by its URI first, then by its DNS name, then by its common name", async () => {
    const { names } = BILLING;
    const both = await authority.issue({ subject: "CN=reports", names: [...names, ...SWITCH.names] });
    expect(await getOn(openSession(both), ACCOUNTS)).toMatchObject({ status: 403 });
    expect(await getOn(openSession(both), "/dni_manager/calls/+14155550142")).toMatchObject({ status: 404 });
    const host = await authority.issue({ subject: "CN=spiffe://example.org/switch", names });
    expect(await getOn(openSession(host), ACCOUNTS)).toMatchObject({ status: 200 });
  });

  test.each(["https://example.org/switch,1", 'https://example.org/"switch"', "https://example.org/Schäfer"])(
    "by the URI %s, which Node writes in quotes",
    async (uri) => {
      const session = openSession(await authority.issue({ names: [{ type: "url", value: uri }] }));
      expect(JSON.parse((await getOn(session, "/call_tracking/whoami")).text)).toMatchObject({ id: uri });
    },
  );

  test("not by a URI embedded in a DNS name", async () => {
    const forged = await authority.issue({ names: [{ type: "dns", value: "a, URI:spiffe://example.org/switch" }] });
    expect(await getOn(openSession(forged), "/dni_manager/calls/+14155550142")).toMatchObject({ status: 403 });
  });

  test("if an intermediate authority issued it", async () => {
    const intermediate = await authority.createIntermediate();
    const session = openSession(await intermediate.issue(OTHER));
    expect(await getOn(session, ACCOUNTS)).toMatchObject({ status: 200 });
  });

  test("unless the client sends another credential", async () => {
    const session = openSession(await authority.issue(OTHER));
    const keys = "/call_tracking/api_keys";
    expect(await getOn(session, keys)).toMatchObject({ status: 403 });
    expect(await getOn(session, keys, createBearerHeaders(adminKey))).toMatchObject({ status: 200 });
    const refused = await getOn(session, ACCOUNTS, createBearerHeaders("ct_made_up"));
    expect([refused.status, reasonOf(refused)]).toEqual([401, "API_KEY_INVALID"]);
  });
});

test("a client without a certificate needs a key for API calls, and nothing for public pages", async () => {
  const session = openSession();
  expect(await getOn(session, "/healthz")).toMatchObject({ status: 200 });
  expect(await getOn(session, ACCOUNTS, createBearerHeaders(adminKey))).toMatchObject({ status: 200 });
  const refused = await getOn(session, ACCOUNTS);
  expect([refused.status, reasonOf(refused)]).toEqual([401, "UNAUTHENTICATED"]);
  expect(JSON.parse(refused.text).error.message).toBe(
    "authentication required: send an API key or access token in an Authorization: Bearer header, " +
      "or connect with a client certificate",
  );
});

/** Asserts that the server closes a connection without a response. */
async function expectClosed(options: ConnectionOptions): Promise<void> {
  const socket = connectTls(options);
  socket.on("error", () => {});
  let answered = "";
  socket.on("data", (bytes) => {
    answered += bytes;
  });
  socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await once(socket, "close");
  expect(answered).toBe("");
}

describe("a connection is closed without a response", () => {
  test.each<[what: string, issue: () => Promise<Certificate>]>([
    ["of another authority", async () => (await createAuthority()).issue(OTHER)],
    ["that is self-signed", () => createCertificate("02")],
    ["that has expired", () => authority.issue({ ...OTHER, notAfter: new Date(Date.now() - 1000) })],
    ["that is for servers", () => authority.issue({ ...OTHER, usage: "serverAuth" })],
    ["without a name", () => authority.issue({ subject: "O=Example" })],
    // The database cannot store NUL characters, and the audit log must contain the name.
    ["whose names contain NUL characters", () => authority.issue({ subject: "CN=a\0b", names: [NUL_URI] })],
    ["whose common name contains a NUL character", () => authority.issue({ subject: "CN=a\0b" })],
  ])("with a certificate %s", async (_, issue) => {
    await expectClosed({ host: "127.0.0.1", port: server.port, ca: pair.cert, ...(await issue()) });
  });
});

test("closes a connection when its certificate expires", async () => {
  const session = openSession(await authority.issue({ ...OTHER, notAfter: new Date(Date.now() + 3000) }));
  expect(await getOn(session, ACCOUNTS)).toMatchObject({ status: 200 });
  await once(session, "close");
});

test("closes a connection that resumes a session whose certificate has expired", async () => {
  const short = await authority.issue({ ...OTHER, notAfter: new Date(Date.now() + 3000) });
  const options = { host: "127.0.0.1", port: server.port, ca: pair.cert, ...short };
  const first = connectTls(options);
  const [ticket] = await once(first, "session");
  await once(first.resume(), "close");
  await expectClosed({ ...options, session: ticket });
});

test("loads new authorities without a restart, and forces existing clients to reconnect", async () => {
  const [before, next] = [await authority.issue(OTHER), await createAuthority()];
  const agent = new Agent({ ca: pair.cert, ...before, keepAlive: true, maxSockets: 1 });
  const [session, withoutCertificate] = [openSession(before), openSession()];
  expect(await getOn(session, ACCOUNTS)).toMatchObject({ status: 200 });
  expect(await getOn(withoutCertificate, "/healthz")).toMatchObject({ status: 200 });
  expect((await getOver(agent, ACCOUNTS)).headers.connection).not.toBe("close");
  await putAuthorities("no certificate at all");
  await putAuthorities(`${authority.cert}\n${next.cert}`);
  await once(session, "close");
  expect(await getOver(agent, ACCOUNTS)).toMatchObject({ status: 200, headers: { connection: "close" } });
  expect((await getOver(agent, ACCOUNTS)).headers.connection).not.toBe("close");
  expect(await getOn(openSession(await next.issue(OTHER)), ACCOUNTS)).toMatchObject({ status: 200 });

  const resumable = connectTls({ host: "127.0.0.1", port: server.port, ca: pair.cert, ...before });
  const [ticket] = await once(resumable, "session");
  const last = openSession(before);
  await getOn(last, "/healthz");
  await putAuthorities(next.cert);
  await once(last, "close");
  const resumed = connectTls({ host: "127.0.0.1", port: server.port, ca: pair.cert, ...before, session: ticket });
  resumed.on("error", () => {});
  await once(resumed, "close");
  expect(await getOn(withoutCertificate, "/healthz")).toMatchObject({ status: 200 });
  resumable.destroy();
  agent.destroy();
});
