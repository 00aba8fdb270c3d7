import { crc32 } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import type { ApiClient } from "./api-client.js";
import { createGrpcClient } from "./grpc-client.js";
import { createJsonClient } from "./json-client.js";
import { ENGINES, type Engine, HAS_CITUS, SERVER_ENGINES } from "./test-database.js";
import { startTestServer, type TestServer, type TestServerConfig } from "./test-server.js";

export const PROTOCOLS = ["json", "grpc"] as const;

export type Protocol = (typeof PROTOCOLS)[number];

/** The server of a suite and its clients. Read the properties only inside tests and hooks, because the server starts in `beforeAll`. */
export interface Service {
  readonly engine: Engine;
  readonly server: TestServer;
  readonly clients: Readonly<Record<Protocol, ApiClient>>;
  /** The client of the running test. The test's name determines its protocol. In `beforeAll`, the protocol is JSON. */
  readonly api: ApiClient;
}

/** Runs a suite, and passes it the service to test. */
export type DescribeSuite<S extends Service = Service> = (
  title: string,
  suite: (service: S) => void,
  config?: TestServerConfig,
) => void;

/**
 * Runs a suite on every engine, each with its own server. Use this function for races, durability, and statements that differ by engine. Without a
 * Citus cluster, reports the Citus engine as skipped.
 */
export const describeOnEngines: DescribeSuite = (title, ...rest) => {
  if (!HAS_CITUS) test.skip(`${title}, on the citus engine (TEST_CITUS_URL is not set)`);
  for (const engine of ENGINES) describeOn(engine, `${title}, on the ${engine} engine`, ...rest);
};

/**
 * Runs a suite about methods on PostgreSQL, and on a Citus cluster if one is available. The embedded engine runs the same statements:
 * `api/methods/every-method.test.ts` compares both engines for each method.
 */
export const describeBehavior: DescribeSuite = (title, ...rest) => {
  for (const engine of SERVER_ENGINES) describeOn(engine, `${title}, on ${engine}`, ...rest);
};

/** Runs a suite on PostgreSQL only, because nothing that it tests depends on the engine. */
export const describeOnPostgres: DescribeSuite = (...given) => describeOn("postgres", ...given);

function describeOn(engine: Engine, ...[title, suite, config = {}]: Parameters<DescribeSuite>): void {
  describe(title, () => {
    let server: TestServer;
    let clients: Service["clients"];
    let protocol: Protocol = "json";
    beforeAll(async () => {
      server = await startTestServer(engine, config);
      clients = { json: createJsonClient(server.url + (config.basePath ?? "")), grpc: createGrpcClient(server.port) };
    });
    afterAll(async () => {
      for (const client of Object.values(clients ?? {})) client.close();
      await server?.stop();
    });
    beforeEach(({ task }) => {
      protocol = PROTOCOLS[crc32(task.name) % PROTOCOLS.length] as Protocol;
    });
    suite({
      engine,
      get server() {
        return server;
      },
      get clients() {
        return clients;
      },
      get api() {
        return clients[protocol];
      },
    });
  });
}
