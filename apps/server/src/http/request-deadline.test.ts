import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateApiKey } from "../access/api-key-format.js";
import { createBearerHeaders } from "../testing/credentials.js";
import { type AnswerForm, FUZZ_PROTOCOLS } from "../testing/fuzz/fuzz-protocol.js";
import { readRpcOutcome } from "../testing/fuzz/rpc-outcome.js";
import { WireClient, type WireRequest } from "../testing/fuzz/wire-client.js";
import { createGrpcFrame } from "../testing/grpc-frame.js";
import { HTTP_VERSIONS } from "../testing/http-request.js";
import { lockTable } from "../testing/lock-table.js";
import { ENGINES } from "../testing/test-database.js";
import { startTestServer, type TestServer } from "../testing/test-server.js";

/** Requests in every protocol and with every kind of method that can have its own code path in the server. */
const WAYS: readonly (Omit<WireRequest, "version"> & { readonly form: AnswerForm; readonly name: string })[] = [
  { name: "a JSON path", form: "json", verb: "GET", target: "/call_tracking/accounts", headers: {}, body: undefined },
  {
    name: "a JSON path with a body",
    form: "json",
    verb: "POST",
    target: "/call_tracking/accounts",
    headers: { "content-type": "application/json", te: "trailers" },
    body: Buffer.from('{"account_token":"a"}'),
  },
  ...FUZZ_PROTOCOLS.flatMap(({ form, framing, codec, contentType }) => {
    if (contentType === undefined || form === "json" || framing === "base64") return [];
    const message = Buffer.from(codec === "json" ? "{}" : "");
    const methods = [
      ...(form === "connect-stream" ? [] : ["AccountService/ListAccounts"]),
      ...(form === "connect" ? [] : ["PoolService/ExportPools", "InventoryService/ImportTrackingNumbers"]),
    ];
    return methods.map((method) => ({
      name: `${method} as ${contentType}`,
      form,
      verb: "POST",
      target: `/calltracking.v1.${method}`,
      headers: { "content-type": contentType },
      body: framing === "envelope" ? createGrpcFrame(message) : message,
    }));
  }),
];

describe.each(ENGINES)("a request that hangs, on the %s engine", (engine) => {
  let server: TestServer;
  let client: WireClient;
  let lock: AsyncDisposable;

  beforeAll(async () => {
    const auth = { keys: true, issuer: undefined };
    server = await startTestServer(engine, { limits: { requestTimeoutMs: 1000 }, auth, managesPools: false });
    client = new WireClient(server.port, 60_000);
    // The lock makes authentication hang, before the RPC has its own deadline.
    lock = await lockTable(server, "api_keys");
  });

  afterAll(async () => {
    client?.close();
    await lock?.[Symbol.asyncDispose]();
    await server?.stop();
  });

  test.each(HTTP_VERSIONS)("fails with DEADLINE_EXCEEDED over %s in every protocol", async (version) => {
    const outcomes = WAYS.map(async ({ form, name, headers, ...request }) => {
      const authorization = createBearerHeaders(generateApiKey().key);
      const answer = await client.send({ ...request, version, headers: { ...headers, ...authorization } });
      if (answer.end !== "whole") return `${name}: ${answer.end}`;
      const { code, details } = readRpcOutcome(form, answer);
      expect(answer.headers["x-request-id"], name).toBeDefined();
      return `${name}: ${code} ${details.at(-1)?.reason}`;
    });
    expect(await Promise.all(outcomes)).toEqual(WAYS.map(({ name }) => `${name}: DEADLINE_EXCEEDED DEADLINE_EXCEEDED`));
  });

  test("does not include a health watch without changes", async () => {
    const watch = client.send({
      version: "HTTP/2",
      verb: "POST",
      target: "/grpc.health.v1.Health/Watch",
      headers: { "content-type": "application/grpc" },
      body: createGrpcFrame(Buffer.alloc(0)),
    });
    const authorization = createBearerHeaders(generateApiKey().key);
    const hanging = { version: "HTTP/1.1", verb: "GET", target: "/call_tracking/accounts", body: undefined } as const;
    // Two consecutive request timeouts take longer than a timeout of the health watch would take.
    for (let count = 0; count < 2; count++) {
      expect(await client.send({ ...hanging, headers: authorization })).toMatchObject({ status: 504 });
    }
    expect(await Promise.race([watch, Promise.resolve("open")])).toBe("open");
  });
});
