import { once } from "node:events";
import type { MethodDefinition, ServiceDefinition } from "@grpc/proto-loader";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../testing/api-client.js";
import { PROTOCOLS, type Protocol } from "../testing/behavior.js";
import { callConnect } from "../testing/connect-call.js";
import { createBearerHeaders, createTestAdminKey, createTestApiKey } from "../testing/credentials.js";
import { expectErrorShape } from "../testing/error-shape.js";
import { callUnary, createGrpcClient, createGrpcConnection } from "../testing/grpc-client.js";
import { HTTP_VERSIONS, type HttpRequest, sendHttp } from "../testing/http-request.js";
import { createJsonClient } from "../testing/json-client.js";
import { loadProtos } from "../testing/load-protos.js";
import { type Refusal, requireRefusal } from "../testing/refusal.js";
import { newAccount, uniqueToken } from "../testing/request-fields.js";
import { createTestDatabase } from "../testing/test-database.js";
import { serveDatabase, startTestServer, type TestServer } from "../testing/test-server.js";
import { assembleApiKey, generateApiKey } from "./api-key-format.js";

const AUTH = { keys: true, issuer: undefined };

const ACCOUNTS = "/call_tracking/accounts";

function connect(server: TestServer, protocol: Protocol, token: string): ApiClient {
  return protocol === "json"
    ? createJsonClient(server.url, createBearerHeaders(token))
    : createGrpcClient(server.port, createBearerHeaders(token));
}

/** Sends a request that is rejected. Returns the error and the WWW-Authenticate header. */
async function sendRefused(
  server: TestServer,
  request: HttpRequest,
  version = HTTP_VERSIONS[0] as "HTTP/1.1" | "HTTP/2",
) {
  const { status, headers, text } = await sendHttp(version, server.port, request);
  const refusal = expectErrorShape(status, headers["content-type"], text);
  return { httpStatus: status, challenge: headers["www-authenticate"], ...refusal };
}

describe("API keys", async () => {
  const server = await startTestServer("postgres", { auth: AUTH });
  const adminKey = await createTestAdminKey(server.database);
  const api = createJsonClient(server.url, createBearerHeaders(adminKey));

  afterAll(() => server.stop());

  const newKey = async (fields: object = {}) => (await api.createApiKey({ scopes: ["read"], ...fields })).key;

  describe.each(HTTP_VERSIONS)("over %s", (version) => {
    test("returns 401 without credentials, and says what to send", async () => {
      expect(await sendRefused(server, { target: ACCOUNTS }, version)).toMatchObject({
        httpStatus: 401,
        challenge: "Bearer",
        status: "UNAUTHENTICATED",
        reason: "UNAUTHENTICATED",
        message: "authentication required: send an API key or access token in an Authorization: Bearer header",
      });
    });

    test("rejects a request without a key before reading its body", async () => {
      const refused = { httpStatus: 401, reason: "UNAUTHENTICATED" };
      for (const body of ["not JSON at all", "x".repeat(5 * 1024 * 1024)]) {
        const request = { method: "POST", target: ACCOUNTS, headers: { "content-type": "text/csv" }, body };
        expect(await sendRefused(server, request, version)).toMatchObject(refused);
      }
    });

    test("returns 403 if the key lacks a scope, and names the scope", async () => {
      const request = {
        method: "POST",
        target: ACCOUNTS,
        headers: createBearerHeaders(await newKey()),
        body: { size: "x" },
      };
      expect(await sendRefused(server, request, version)).toMatchObject({
        httpStatus: 403,
        challenge: 'Bearer error="insufficient_scope", scope="write"',
        status: "PERMISSION_DENIED",
        reason: "SCOPE_MISSING",
        metadata: { scope: "write" },
        message: "the caller lacks the scope write: use a key or token that has it",
      });
    });
  });

  test.each([
    ["Bearer", "UNAUTHENTICATED"],
    ["Bearer ", "UNAUTHENTICATED"],
    ["Basic YWRtaW46YWRtaW4=", "UNAUTHENTICATED"],
    ["Bearer a b", "UNAUTHENTICATED"],
    ["Bearer a,Bearer b", "UNAUTHENTICATED"],
    ["Bearer ké", "UNAUTHENTICATED"],
    ["Bearer a", "API_KEY_INVALID"],
    ["Bearer ct_", "API_KEY_INVALID"],
    [`Bearer ${generateApiKey().key}`, "API_KEY_INVALID"],
    [`Bearer ${"a".repeat(10_000)}`, "API_KEY_INVALID"],
  ])("rejects %.30s with %s", async (authorization, reason) => {
    const refusal = await sendRefused(server, { target: ACCOUNTS, headers: { authorization } });
    const challenge = reason === "UNAUTHENTICATED" ? "Bearer" : 'Bearer error="invalid_token"';
    expect(refusal).toMatchObject({ httpStatus: 401, reason, challenge });
  });

  test("ignores the case of Bearer and spaces around the key", async () => {
    for (const authorization of [`bearer ${adminKey}`, `BEARER   ${adminKey}`, `Bearer ${adminKey}  `]) {
      const { status } = await sendHttp("HTTP/1.1", server.port, { target: ACCOUNTS, headers: { authorization } });
      expect(status).toBe(200);
    }
  });

  test("rejects a key that combines parts of two keys", async () => {
    const [, prefix = ""] = /^(.{15})_/.exec(await newKey()) ?? [];
    const [, secret = ""] = /^.{15}_(.{43})/.exec(await newKey()) ?? [];
    const mixed = assembleApiKey(prefix, secret);
    expect(await sendRefused(server, { target: ACCOUNTS, headers: createBearerHeaders(mixed) })).toMatchObject({
      httpStatus: 401,
      reason: "API_KEY_INVALID",
    });
  });

  describe.each(PROTOCOLS)("over %s", (protocol) => {
    const refusalFor = (token: string): Promise<Refusal> => {
      const client = connect(server, protocol, token);
      return requireRefusal(client.listAccounts()).finally(client.close);
    };

    test("a key grants what its scopes allow", async () => {
      const client = connect(server, protocol, await newKey({ scopes: ["read", "write"] }));
      const account = await newAccount(client);
      expect(await client.getAccount({ id: account.id })).toEqual(account);
      expect(await requireRefusal(client.createApiKey({ scopes: ["admin"] }))).toMatchObject({
        reason: "SCOPE_MISSING",
      });
      client.close();
    });

    test("an expired key is rejected with that reason", async () => {
      const { key } = await createTestApiKey(server.database, "read", new Date(0));
      expect(await refusalFor(key)).toMatchObject({
        status: "UNAUTHENTICATED",
        reason: "API_KEY_EXPIRED",
        message: "the API key expired at 1970-01-01T00:00:00.000Z: use another key",
      });
    });

    test("a revoked key is rejected with that reason", async () => {
      const { key, api_key } = await api.createApiKey({ scopes: ["read"] });
      const { revoked_at } = await api.revokeApiKey({ api_key_id: api_key.id });
      const at = new Date(String(revoked_at)).toISOString();
      expect(await refusalFor(key)).toMatchObject({
        status: "UNAUTHENTICATED",
        reason: "API_KEY_REVOKED",
        message: `the API key was revoked at ${at}: use another key`,
      });
    });

    test("a key that is bound to an account cannot call methods of the whole service", async () => {
      const { account_token } = await newAccount(api);
      const client = connect(server, protocol, await newKey({ scopes: ["admin"], account_id: account_token }));
      expect(await requireRefusal(client.createAccount({ account_token: uniqueToken() }))).toMatchObject({
        status: "PERMISSION_DENIED",
        reason: "CALLER_BOUND_TO_ACCOUNT",
        metadata: { account_token },
        message: `the caller is bound to account "${account_token}" and cannot call this method: use a key that is not bound to an account`,
      });
      client.close();
    });
  });

  test("Connect and gRPC-Web require authentication too", async () => {
    const procedure = "calltracking.v1.AccountService/ListAccounts";
    expect(await callConnect(server.url, procedure, {})).toMatchObject({ httpStatus: 401, code: "unauthenticated" });
    expect(await callConnect(server.url, procedure, {}, createBearerHeaders(adminKey))).toMatchObject({
      httpStatus: 200,
    });
    const overGet = await fetch(`${server.url}/${procedure}?connect=v1&encoding=json&message=%7B%7D`);
    expect(overGet.status).toBe(401);
    const sendFrame = async (headers: Record<string, string>) => {
      const response = await fetch(`${server.url}/${procedure}`, {
        method: "POST",
        headers: { "content-type": "application/grpc-web+proto", ...headers },
        body: new Uint8Array(5),
      });
      return Buffer.from(await response.arrayBuffer()).toString();
    };
    expect(await sendFrame({})).toMatch(/grpc-status: ?16\r?$/m);
    expect(await sendFrame(createBearerHeaders(adminKey))).toMatch(/grpc-status: ?0\r?$/m);
  });

  test.each([
    "/healthz",
    "/readyz",
    "/docs",
    "/openapi.json",
    "/dni.js",
    "/dni-page.js",
    "/dni-debug.js",
    "/dni_manager/accounts/x/properties/x/numbers",
  ])("%s is public", async (target) => {
    expect(await sendHttp("HTTP/1.1", server.port, { target })).toMatchObject({ status: 200 });
  });

  test("gRPC health and reflection are public", async () => {
    const client = createGrpcConnection(server.port);
    const health = loadProtos(["health/v1/health.proto"], { defaults: true })["grpc.health.v1.Health"];
    const check = (health as ServiceDefinition).Check as MethodDefinition<object, object>;
    expect(await callUnary(client, check, {})).toEqual({ status: "SERVING" });
    const { path, ...reflection } = readReflection();
    const stream = client.makeBidiStreamRequest(path, reflection.requestSerialize, reflection.responseDeserialize);
    stream.end({ list_services: "*" });
    const [answer] = await once(stream, "data");
    expect(answer.list_services_response.service.length).toBeGreaterThan(9);
    client.close();
  });

  test("rejects each of many concurrent invented keys, and accepts a valid one", async () => {
    const attempts = Array.from({ length: 200 }, () =>
      sendRefused(server, { target: ACCOUNTS, headers: createBearerHeaders(generateApiKey().key) }),
    );
    const good = sendHttp("HTTP/1.1", server.port, { target: ACCOUNTS, headers: createBearerHeaders(await newKey()) });
    expect(new Set((await Promise.all(attempts)).map(({ reason }) => reason))).toEqual(new Set(["API_KEY_INVALID"]));
    expect((await good).status).toBe(200);
  });
});

function readReflection(): MethodDefinition<object, { list_services_response: { service: unknown[] } }> {
  const protos = loadProtos(["grpc/reflection/v1/reflection.proto"], { defaults: true });
  return (protos["grpc.reflection.v1.ServerReflection"] as ServiceDefinition).ServerReflectionInfo as never;
}

/** Only on PostgreSQL, because the embedded engine supports one server only. */
describe("API keys on several servers", async () => {
  const location = await createTestDatabase("postgres");
  const first = await serveDatabase(location, { auth: AUTH });
  const second = await serveDatabase(location, { auth: AUTH });
  const api = createJsonClient(second.url, createBearerHeaders(await createTestAdminKey(second.database)));

  afterAll(async () => {
    await first.stop();
    await second.stop();
  });

  test("a key that is revoked on one server is soon rejected by all", async () => {
    const { key, api_key } = await api.createApiKey({ scopes: ["read"] });
    const { listAccounts } = createJsonClient(first.url, createBearerHeaders(key));
    await listAccounts();
    await api.revokeApiKey({ api_key_id: api_key.id });
    await expect.poll(() => listAccounts().catch((error) => error.refusal.reason)).toBe("API_KEY_REVOKED");
  });

  test("cached keys and cached unknown keys cost no statement", async () => {
    const { key } = await api.createApiKey({ scopes: ["admin"] });
    const unknown = generateApiKey().key;
    // The server rejects `advanceClock` without a database query, so only the authentication can cause one.
    const advance = (token: string) =>
      requireRefusal(createJsonClient(first.url, createBearerHeaders(token)).advanceClock({ by: "1s" })).then(
        ({ reason }) => reason,
      );
    expect(await advance(key)).toBe("CLOCK_NOT_VIRTUAL");
    expect(await advance(unknown)).toBe("API_KEY_INVALID");
    const transaction = await first.database.kysely.startTransaction().execute();
    await sql`lock table api_keys in access exclusive mode`.execute(transaction);
    expect(await advance(key)).toBe("CLOCK_NOT_VIRTUAL");
    expect(await advance(unknown)).toBe("API_KEY_INVALID");
    const another = advance(generateApiKey().key);
    const waiting = Symbol("waiting");
    expect(await Promise.race([another, advance(key).then(() => waiting)])).toBe(waiting);
    await transaction.rollback().execute();
    expect(await another).toBe("API_KEY_INVALID");
  });

  test("the last use of a key is shown after a server has written it", async () => {
    const location = await createTestDatabase("postgres");
    const one = await serveDatabase(location, { auth: AUTH });
    const adminKey = await createTestAdminKey(one.database);
    const { key, api_key } = await createJsonClient(one.url, createBearerHeaders(adminKey)).createApiKey({
      scopes: ["read"],
    });
    const before = new Date().toISOString();
    await createJsonClient(one.url, createBearerHeaders(key)).listAccounts();
    await one.stop();
    const other = await serveDatabase(location, { auth: AUTH });
    const client = createJsonClient(other.url, createBearerHeaders(adminKey));
    const { last_used_at } = await client.getApiKey({ api_key_id: api_key.id });
    expect(last_used_at).toSatisfy((time: string | null) => time !== null && time >= before);
    await other.stop();
  });
});

test("a server without authentication ignores keys", async () => {
  const server = await startTestServer("postgres");
  const { status } = await sendHttp("HTTP/1.1", server.port, {
    target: ACCOUNTS,
    headers: createBearerHeaders("ct_nothing"),
  });
  expect(status).toBe(200);
  await server.stop();
});
