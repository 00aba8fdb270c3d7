import { once } from "node:events";
import type { MethodDefinition, ServiceDefinition } from "@grpc/proto-loader";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../testing/api-client.js";
import { PROTOCOLS, type Protocol } from "../testing/behaviour.js";
import { callConnect } from "../testing/connect-call.js";
import { bearer, makeAdminKey } from "../testing/credentials.js";
import { expectErrorShape } from "../testing/error-shape.js";
import { callUnary, createGrpcClient, createGrpcConnection } from "../testing/grpc-client.js";
import { HTTP_VERSIONS, type HttpRequest, sendHttp } from "../testing/http-request.js";
import { createJsonClient } from "../testing/json-client.js";
import { loadProtos } from "../testing/load-protos.js";
import { type Refusal, refusalOf } from "../testing/refusal.js";
import { newAccount, uniqueToken } from "../testing/request-fields.js";
import { createTestDatabase, ENGINES } from "../testing/test-database.js";
import { serveDatabase, startTestServer, type TestServer } from "../testing/test-server.js";
import { createKey, formatKey } from "./key-text.js";

const AUTH = { keys: true, issuer: undefined };

const ACCOUNTS = "/call_tracking/accounts";

function connect(server: TestServer, protocol: Protocol, token: string): ApiClient {
  return protocol === "json"
    ? createJsonClient(server.url, bearer(token))
    : createGrpcClient(server.port, bearer(token));
}

/** Sends a request, and reads its refusal and how better credentials are asked for. */
async function sendRefused(
  server: TestServer,
  request: HttpRequest,
  version = HTTP_VERSIONS[0] as "HTTP/1.1" | "HTTP/2",
) {
  const { status, headers, text } = await sendHttp(version, server.port, request);
  const refusal = expectErrorShape(status, headers["content-type"], text);
  return { httpStatus: status, challenge: headers["www-authenticate"], ...refusal };
}

describe.each(ENGINES)("API keys, on the %s engine", (engine) => {
  let server: TestServer;
  let adminKey: string;
  let api: ApiClient;

  beforeAll(async () => {
    server = await startTestServer(engine, { auth: AUTH });
    adminKey = await makeAdminKey(server.database);
    api = createJsonClient(server.url, bearer(adminKey));
  });

  afterAll(() => server?.stop());

  const newKey = async (fields: object = {}) => (await api.createApiKey({ scopes: ["read"], ...fields })).key;

  describe.each(HTTP_VERSIONS)("over %s", (version) => {
    test("a request without credentials is 401, and says what to send", async () => {
      expect(await sendRefused(server, { target: ACCOUNTS }, version)).toMatchObject({
        httpStatus: 401,
        challenge: "Bearer",
        status: "UNAUTHENTICATED",
        reason: "UNAUTHENTICATED",
        message: "authentication required: send an API key or access token in an Authorization: Bearer header",
      });
    });

    test("a key is asked for before anything of the body is read", async () => {
      const refused = { httpStatus: 401, reason: "UNAUTHENTICATED" };
      for (const body of ["not JSON at all", "x".repeat(5 * 1024 * 1024)]) {
        const request = { method: "POST", target: ACCOUNTS, headers: { "content-type": "text/csv" }, body };
        expect(await sendRefused(server, request, version)).toMatchObject(refused);
      }
    });

    test("a key that lacks a scope is 403, and names the scope", async () => {
      const request = { method: "POST", target: ACCOUNTS, headers: bearer(await newKey()), body: { size: "x" } };
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
    [`Bearer ${createKey().key}`, "API_KEY_INVALID"],
    [`Bearer ${"a".repeat(10_000)}`, "API_KEY_INVALID"],
  ])("%.30s is refused: %s", async (authorization, reason) => {
    const refusal = await sendRefused(server, { target: ACCOUNTS, headers: { authorization } });
    const challenge = reason === "UNAUTHENTICATED" ? "Bearer" : 'Bearer error="invalid_token"';
    expect(refusal).toMatchObject({ httpStatus: 401, reason, challenge });
  });

  test("the word Bearer is written as one likes, and spaces around the key do not matter", async () => {
    for (const authorization of [`bearer ${adminKey}`, `BEARER   ${adminKey}`, `Bearer ${adminKey}  `]) {
      const { status } = await sendHttp("HTTP/1.1", server.port, { target: ACCOUNTS, headers: { authorization } });
      expect(status).toBe(200);
    }
  });

  test("a key of which any part is another's is none", async () => {
    const [, prefix = ""] = /^(.{15})_/.exec(await newKey()) ?? [];
    const [, secret = ""] = /^.{15}_(.{43})/.exec(await newKey()) ?? [];
    const mixed = formatKey(prefix, secret);
    expect(await sendRefused(server, { target: ACCOUNTS, headers: bearer(mixed) })).toMatchObject({
      httpStatus: 401,
      reason: "API_KEY_INVALID",
    });
  });

  describe.each(PROTOCOLS)("over %s", (protocol) => {
    const refusalFor = (token: string): Promise<Refusal> => {
      const client = connect(server, protocol, token);
      return refusalOf(client.listAccounts()).finally(client.close);
    };

    test("a key lets its holder do what its scopes are for", async () => {
      const client = connect(server, protocol, await newKey({ scopes: ["read", "write"] }));
      const account = await newAccount(client);
      expect(await client.getAccount({ id: account.id })).toEqual(account);
      expect(await refusalOf(client.createApiKey({ scopes: ["admin"] }))).toMatchObject({ reason: "SCOPE_MISSING" });
      client.close();
    });

    test("a key that expired is refused, and says so to its holder", async () => {
      const { key, api_key } = await api.createApiKey({ scopes: ["read"], expires_at: "2100-01-01T00:00:00Z" });
      const { kysely } = server.database;
      await kysely
        .updateTable("api_keys")
        .set({ expires_at: new Date(0) })
        .where("id", "=", api_key.id)
        .execute();
      expect(await refusalFor(key)).toMatchObject({
        status: "UNAUTHENTICATED",
        reason: "API_KEY_EXPIRED",
        message: "the API key expired at 1970-01-01T00:00:00.000Z: use another key",
      });
    });

    test("a key that was revoked is refused, and says so to its holder", async () => {
      const { key, api_key } = await api.createApiKey({ scopes: ["read"] });
      const { revoked_at } = await api.revokeApiKey({ api_key_id: api_key.id });
      const at = new Date(String(revoked_at)).toISOString();
      expect(await refusalFor(key)).toMatchObject({
        status: "UNAUTHENTICATED",
        reason: "API_KEY_REVOKED",
        message: `the API key was revoked at ${at}: use another key`,
      });
    });

    test("what is of the whole service is not for a key that is bound to an account", async () => {
      const { account_token } = await newAccount(api);
      const client = connect(server, protocol, await newKey({ scopes: ["admin"], account_id: account_token }));
      expect(await refusalOf(client.createAccount({ account_token: uniqueToken() }))).toMatchObject({
        status: "PERMISSION_DENIED",
        reason: "CALLER_BOUND_TO_ACCOUNT",
        metadata: { account_token },
        message: `the caller is bound to account "${account_token}" and cannot call this method: use a key that is not bound to an account`,
      });
      client.close();
    });
  });

  test("over Connect, and over gRPC-Web, callers are asked all the same", async () => {
    const procedure = "calltracking.v1.AccountService/ListAccounts";
    expect(await callConnect(server.url, procedure, {})).toMatchObject({ httpStatus: 401, code: "unauthenticated" });
    expect(await callConnect(server.url, procedure, {}, bearer(adminKey))).toMatchObject({ httpStatus: 200 });
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
    expect(await sendFrame(bearer(adminKey))).toMatch(/grpc-status: ?0\r?$/m);
  });

  test.each(["/healthz", "/readyz", "/docs", "/openapi.json", "/dni.js", "/dni_manager/properties/x/numbers"])(
    "%s is for everyone",
    async (target) => {
      expect(await sendHttp("HTTP/1.1", server.port, { target })).toMatchObject({ status: 200 });
    },
  );

  test("gRPC health and reflection are for everyone", async () => {
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

  test("however many keys are made up at once, each is refused, and a good one is let in", async () => {
    const attempts = Array.from({ length: 300 }, () =>
      sendRefused(server, { target: ACCOUNTS, headers: bearer(createKey().key) }),
    );
    const good = sendHttp("HTTP/1.1", server.port, { target: ACCOUNTS, headers: bearer(await newKey()) });
    expect(new Set((await Promise.all(attempts)).map(({ reason }) => reason))).toEqual(new Set(["API_KEY_INVALID"]));
    expect((await good).status).toBe(200);
  });
});

function readReflection(): MethodDefinition<object, { list_services_response: { service: unknown[] } }> {
  const protos = loadProtos(["grpc/reflection/v1/reflection.proto"], { defaults: true });
  return (protos["grpc.reflection.v1.ServerReflection"] as ServiceDefinition).ServerReflectionInfo as never;
}

/** Only a database that serves several at once can be kept from answering one. */
describe("API keys on several servers", () => {
  let first: TestServer;
  let second: TestServer;
  let api: ApiClient;

  beforeAll(async () => {
    const location = await createTestDatabase("postgres");
    first = await serveDatabase(location, { auth: AUTH });
    second = await serveDatabase(location, { auth: AUTH });
    api = createJsonClient(second.url, bearer(await makeAdminKey(second.database)));
  });

  afterAll(async () => {
    await first?.stop();
    await second?.stop();
  });

  test("a key that is revoked on one is refused by all, soon", async () => {
    const { key, api_key } = await api.createApiKey({ scopes: ["read"] });
    const { listAccounts } = createJsonClient(first.url, bearer(key));
    await listAccounts();
    await api.revokeApiKey({ api_key_id: api_key.id });
    await expect
      .poll(() =>
        listAccounts().then(
          () => "let in",
          (error) => error.refusal.reason,
        ),
      )
      .toBe("API_KEY_REVOKED");
  });

  test("a key that is known costs no statement, and nor does one that is known to be none", async () => {
    const { key } = await api.createApiKey({ scopes: ["admin"] });
    const unknown = createKey().key;
    // What a server refuses without asking its database.
    const advance = (token: string) =>
      refusalOf(createJsonClient(first.url, bearer(token)).advanceClock({ by: "1s" })).then(({ reason }) => reason);
    expect(await advance(key)).toBe("CLOCK_NOT_VIRTUAL");
    expect(await advance(unknown)).toBe("API_KEY_INVALID");
    const transaction = await first.database.kysely.startTransaction().execute();
    await sql`lock table api_keys in access exclusive mode`.execute(transaction);
    expect(await advance(key)).toBe("CLOCK_NOT_VIRTUAL");
    expect(await advance(unknown)).toBe("API_KEY_INVALID");
    const another = advance(createKey().key);
    const waiting = Symbol("waiting");
    expect(await Promise.race([another, advance(key).then(() => waiting)])).toBe(waiting);
    await transaction.rollback().execute();
    expect(await another).toBe("API_KEY_INVALID");
  });

  test("when a key was last used is known once a server has written it down", async () => {
    const location = await createTestDatabase("postgres");
    const one = await serveDatabase(location, { auth: AUTH });
    const adminKey = await makeAdminKey(one.database);
    const { key, api_key } = await createJsonClient(one.url, bearer(adminKey)).createApiKey({ scopes: ["read"] });
    const before = new Date().toISOString();
    await createJsonClient(one.url, bearer(key)).listAccounts();
    await one.stop();
    const other = await serveDatabase(location, { auth: AUTH });
    const client = createJsonClient(other.url, bearer(adminKey));
    const { last_used_at } = await client.getApiKey({ api_key_id: api_key.id });
    expect(last_used_at).toSatisfy((time: string | null) => time !== null && time >= before);
    await other.stop();
  });
});

test("a server that asks nobody looks at no key", async () => {
  const server = await startTestServer("embedded");
  const { status } = await sendHttp("HTTP/1.1", server.port, { target: ACCOUNTS, headers: bearer("ct_nothing") });
  expect(status).toBe(200);
  await server.stop();
});
