import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import type { Certificate } from "../../testing/certificate.js";
import { createBearerHeaders, createTestAdminKey } from "../../testing/credentials.js";
import { callUnary, getApiMethodDefinition } from "../../testing/grpc-client.js";
import { startIssuer } from "../../testing/issuer.js";
import { createGrpcOverTls, sendHttps } from "../../testing/over-tls.js";
import { startTestServer } from "../../testing/test-server.js";
import { createTlsFiles } from "../../testing/tls-files.js";

/** A client certificate, or a header with a key or token. */
interface Credential {
  readonly headers?: { readonly authorization: string };
  readonly certificate?: Certificate;
}

const files = await createTlsFiles();
const { certificate: serverCertificate, authority } = files;
const issuer = await startIssuer();
const server = await startTestServer("postgres", {
  tls: files.names,
  auth: { keys: true, issuer: issuer.settings, certificates: { byName: new Map(), others: new Set(["admin"]) } },
});
const withToken = async (sub: string) => ({
  headers: createBearerHeaders(await issuer.sign({ scope: "admin", sub })),
});
const callers: Readonly<Record<string, Credential>> = {
  "a key": { headers: createBearerHeaders(await createTestAdminKey(server.database)) },
  "another key": { headers: createBearerHeaders(await createTestAdminKey(server.database)) },
  "a token": await withToken("alice"),
  "a token of another subject": await withToken("bob"),
  "a token of a subject named like a certificate": await withToken("billing"),
  "a certificate": { certificate: await authority.issue({ subject: "CN=billing" }) },
  "a certificate of another name": { certificate: await authority.issue({ subject: "CN=reports" }) },
};

afterAll(async () => {
  await server.stop();
  await issuer.stop();
});

test("request ids are scoped to the caller, for every kind of credential", async () => {
  const requestId = randomUUID();
  const keys = new Map<string, string>();
  for (const [name, credential] of Object.entries(callers)) keys.set(name, await createOverJson(credential, requestId));
  expect(new Set(keys.values()).size).toBe(keys.size);
  for (const [name, credential] of Object.entries(callers)) {
    expect(await createOverGrpc(credential, requestId), name).toBe(keys.get(name));
    expect(await createOverJson(credential, requestId), name).toBe(keys.get(name));
  }
});

test("request ids are shared by all tokens of a subject", async () => {
  const requestId = randomUUID();
  const tokens = await Promise.all(
    ["1", "2"].map((jti) => issuer.sign({ scope: "admin", sub: "carol", jti }, { typ: "at+jwt" })),
  );
  const [one, two] = await Promise.all(
    tokens.map((token) => createOverJson({ headers: createBearerHeaders(token) }, requestId)),
  );
  expect(two).toBe(one);
});

/** Creates an API key and returns its secret. */
async function createOverJson({ headers, certificate }: Credential, requestId: string): Promise<string> {
  const head = {
    port: server.port,
    method: "POST",
    path: "/call_tracking/api_keys",
    ca: serverCertificate.cert,
    ...certificate,
    agent: false as const,
    headers: { ...headers, "content-type": "application/json", "idempotency-key": requestId },
  };
  const { status, text } = await sendHttps(head, JSON.stringify({ scopes: ["read"] }));
  expect(status, text).toBe(201);
  return JSON.parse(text).key;
}

async function createOverGrpc({ headers, certificate }: Credential, requestId: string): Promise<string> {
  const client = createGrpcOverTls(server.port, serverCertificate.cert, certificate);
  const request = { scopes: ["API_KEY_SCOPE_READ"], request_id: requestId };
  const { key } = await callUnary(client, getApiMethodDefinition("ApiKeyService", "CreateApiKey"), request, headers);
  client.close();
  return String(key);
}
