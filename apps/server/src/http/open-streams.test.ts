import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { create, toBinary } from "@bufbuild/protobuf";
import { ExportCallsRequestSchema } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { LimitsSettings } from "../config/limits-settings.js";
import { createBearerHeaders, createTestAdminKey } from "../testing/credentials.js";
import { createGrpcFrame } from "../testing/grpc-frame.js";
import type { TestRequest, TestRequestOptions } from "../testing/http-client.js";
import { type HttpVersion, SEND_REQUEST_BY_VERSION, sendHttp } from "../testing/http-request.js";
import { createJsonClient } from "../testing/json-client.js";
import { lockTable } from "../testing/lock-table.js";
import { readMetric } from "../testing/read-metric.js";
import { newAccount } from "../testing/request-fields.js";
import { startTestServer, type TestServer } from "../testing/test-server.js";

const BASE_PATH = "/base";

/** Number of calls in the account. As JSON, they exceed the socket buffers of both ends of a connection. */
const CALLS = 10_000;

interface StreamVariant {
  readonly name: string;
  readonly version: HttpVersion;
  begin(account: string): TestRequestOptions & { readonly firstFrame?: Buffer };
}

const exportPath = (account: string) => `${BASE_PATH}/dni_manager/accounts/${account}/calls:export`;
const grpc = (path: string) => ({ method: "POST", path, headers: { "content-type": "application/grpc" } });

const EXPORTS: readonly StreamVariant[] = [
  { name: "an export over HTTP/1.1", version: "HTTP/1.1", begin: (account) => ({ path: exportPath(account) }) },
  { name: "an export over HTTP/2", version: "HTTP/2", begin: (account) => ({ path: exportPath(account) }) },
  {
    name: "an export over gRPC",
    version: "HTTP/2",
    begin: (accountId) => ({
      ...grpc("/calltracking.v1.CallService/ExportCalls"),
      body: createGrpcFrame(toBinary(ExportCallsRequestSchema, create(ExportCallsRequestSchema, { accountId }))),
    }),
  },
];

const WATCH: StreamVariant = {
  name: "a health watch",
  version: "HTTP/2",
  begin: () => ({ ...grpc("/grpc.health.v1.Health/Watch?"), body: createGrpcFrame(Buffer.alloc(0)) }),
};

/** A stream that the client leaves open after the first message, `list_services: ""`. */
const REFLECTION: StreamVariant = {
  name: "reflection",
  version: "HTTP/2",
  begin: () => ({
    ...grpc(`${BASE_PATH}/grpc.reflection.v1.ServerReflection/ServerReflectionInfo`),
    body: "open",
    firstFrame: createGrpcFrame(Buffer.of(0x3a, 0)),
  }),
};

/** Runs `suite` with a server that authenticates clients, an account with calls, and functions that begin streams. */
function withStreams(limits: Partial<LimitsSettings>, suite: (streams: Streams) => void): () => void {
  return () => {
    let server: TestServer;
    let account: string;
    let keys: readonly string[];
    beforeAll(async () => {
      const auth = { keys: true, issuer: undefined };
      server = await startTestServer("postgres", { limits, managesPools: false, auth, basePath: BASE_PATH });
      keys = await Promise.all(Array.from({ length: 4 }, () => createTestAdminKey(server.database)));
      const created = await newAccount(
        createJsonClient(server.url + BASE_PATH, createBearerHeaders(keys[0] as string)),
      );
      account = created.account_token;
      await insertCalls(server, created.id);
    });
    // Waits for the end of the streams of the previous test, because the server detects closed streams with a delay.
    beforeEach(() => expect.poll(() => readMetric(server.opsUrl, "calltrack_requests_in_flight")).toBe(0));
    afterAll(() => server.stop());
    const begin: Streams["begin"] = ({ version, begin }, client, key = keys[client] as string) => {
      const { firstFrame, headers, ...options } = begin(account);
      const request = SEND_REQUEST_BY_VERSION[version](server.port, {
        ...options,
        headers: { ...headers, ...createBearerHeaders(key) },
        localAddress: `127.0.0.${2 + client}`,
      });
      onTestFinished(request.destroy);
      if (firstFrame !== undefined) request.body.write(firstFrame);
      return request;
    };
    const open: Streams["open"] = async (...stream) => {
      const request = begin(...stream);
      const { status, headers } = await request.response;
      return { ...request, outcome: headers["grpc-status"] === undefined ? status : `grpc ${headers["grpc-status"]}` };
    };
    suite({ server: () => server, keyOf: (client) => keys[client] as string, begin, open });
  };
}

interface Streams {
  server(): TestServer;
  /** The API key of a client. */
  keyOf(client: number): string;
  /** Begins a stream. `client` is the index of a client. It determines the client address and, unless `key` is given, the API key. */
  begin(variant: StreamVariant, client: number, key?: string): TestRequest;
  /**
   * Begins a stream and waits for the response headers, but does not read the body. `outcome` is the HTTP status, or the gRPC status if the headers
   * contain one.
   */
  open(...stream: Parameters<Streams["begin"]>): Promise<TestRequest & { readonly outcome: number | string }>;
}

/** Inserts the calls of the account. The newest call has the id `call 1`. */
async function insertCalls({ database }: TestServer, accountId: number): Promise<void> {
  await sql`alter table calls drop constraint calls_account_id_pool_id_fkey`.execute(database.kysely);
  await sql`
    insert into calls (account_id, call_id, tracking_number, started_at, is_start_sent, outcome, pool_id, call_tracker_id,
      original_number, tracker_status, is_prompted, is_recorded, recording_url)
    select ${accountId}, 'call ' || n, '+15550000001', now() - n * interval '1 second', true, 'in_progress', uuid_v7(), uuid_v7(),
      '+15550000002', 'active', false, false, 'https://recordings.example/' || repeat('x', 1900)
    from generate_series(1, ${CALLS}::integer) n`.execute(database.kysely);
}

const REFUSED = { "HTTP/1.1": [503], "HTTP/2": [503, "grpc 14"] };

describe(
  "open streams",
  withStreams(
    {
      openStreams: {
        api: { total: 3, perClient: 2 },
        watchers: { total: 3, perClient: 2 },
        infrastructure: { total: 3, perClient: 2 },
      },
    },
    ({ server, keyOf, begin, open }) => {
      test.each([...EXPORTS, WATCH, REFLECTION])("are limited per address and in total: $name", async (variant) => {
        const outcome = async (client: number) => (await open(variant, client)).outcome;
        const first = await open(variant, 0);
        expect(first.outcome).toBe(200);
        expect(await outcome(0)).toBe(200);
        expect(REFUSED[variant.version]).toContain(await outcome(0));
        expect(await outcome(1)).toBe(200);
        expect(REFUSED[variant.version]).toContain(await outcome(2));
        const unary = { target: `${BASE_PATH}/call_tracking/accounts`, headers: createBearerHeaders(keyOf(0)) };
        expect(await sendHttp("HTTP/2", server().port, unary)).toMatchObject({ status: 200 });
        first.destroy();
        await expect.poll(() => outcome(2)).toBe(200);
      });

      test.each(EXPORTS)("are limited per caller, whatever the address: $name", async (variant) => {
        expect((await open(variant, 0, keyOf(3))).outcome).toBe(200);
        expect((await open(variant, 1, keyOf(3))).outcome).toBe(200);
        // The limit per principal applies after authentication. A gRPC response has begun by that time, so its status is a trailer.
        const { status, trailers } = await (await open(variant, 2, keyOf(3))).readResponse();
        expect(trailers["grpc-status"] ?? status).toBe(variant.name.includes("gRPC") ? "14" : 503);
        expect((await open(variant, 2)).outcome).toBe(200);
      });

      test.each(EXPORTS)(
        "do not count if the client disconnects before it is authenticated: $name",
        async (variant) => {
          const { database, opsUrl } = server();
          const key = await createTestAdminKey(database);
          const lock = await lockTable(server(), "api_keys");
          const requests = [0, 1, 2].map((client) => begin(variant, client, key));
          await expect.poll(() => readMetric(opsUrl, "calltrack_requests_in_flight")).toBe(3);
          for (const request of requests) request.destroy();
          await expect.poll(() => readMetric(opsUrl, "calltrack_requests_in_flight")).toBe(0);
          await lock[Symbol.asyncDispose]();
          for (const client of [0, 1, 2]) expect((await open(variant, client)).outcome).toBe(200);
        },
      );
    },
  ),
);

describe(
  "an export",
  withStreams({}, ({ server, open }) => {
    test.each(EXPORTS)("reads more rows only when the client reads more: $name", async (variant) => {
      const { response, outcome } = await open(variant, 0);
      expect(outcome).toBe(200);
      // The index of a row that the server has not read from the database yet. Over HTTP/1.1, only the last row is certain, because the sockets
      // buffer most rows.
      const late = variant.version === "HTTP/1.1" ? CALLS : 500;
      const changed = `https://recordings.example/changed-${variant.name.replaceAll(" ", "-")}`;
      await sql`update calls set recording_url = ${changed} where call_id = ${`call ${late}`}`.execute(
        server().database.kysely,
      );
      expect((await buffer((await response).body)).includes(changed)).toBe(true);
    });
  }),
);

describe(
  "streams without progress",
  withStreams(
    {
      openStreams: {
        api: { total: 1, perClient: 1 },
        watchers: { total: 1, perClient: 1 },
        infrastructure: { total: 2, perClient: 2 },
      },
      ...{ bodyTimeoutMs: 500, sendTimeoutMs: 300 },
    },
    ({ open }) => {
      test.each(EXPORTS)("end if the client does not read: $name", async (variant) => {
        expect((await open(variant, 0)).outcome).toBe(200);
        await expect.poll(async () => (await open(variant, 0)).outcome).toBe(200);
      });

      test("end if the client sends no request, unless they are health watches", async () => {
        const [watch, reflection] = [await open(WATCH, 0), await open(REFLECTION, 0)];
        const ended = once((await reflection.response).body.resume(), "close");
        const watched = (await watch.response).body.resume();
        await ended;
        expect(watched.closed).toBe(false);
      });
    },
  ),
);
