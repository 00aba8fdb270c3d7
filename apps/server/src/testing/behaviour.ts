import { afterAll, beforeAll, describe, test } from "vitest";
import type { ApiClient } from "./api-client.js";
import { createGrpcClient } from "./grpc-client.js";
import { createJsonClient } from "./json-client.js";
import { ENGINES, type Engine, HAS_CITUS } from "./test-database.js";
import { startTestServer, type TestServer, type TestServerConfig } from "./test-server.js";

/** The protocols that every behaviour is tested over. */
export const PROTOCOLS = ["json", "grpc"] as const;

export type Protocol = (typeof PROTOCOLS)[number];

/** The implementations of HTTP that a server can run on; see `HTTP_SERVER`. */
export const HTTP_SERVERS = ["own", "node"] as const;

export type HttpServerKind = (typeof HTTP_SERVERS)[number];

/** The HTTP server of each engine in suites that run on all engines: together they run on both, and each promise is tested on both. */
const HTTP_SERVER_OF: Readonly<Record<Engine, HttpServerKind>> = { embedded: "node", postgres: "own", citus: "own" };

/** A server for the tests of a suite, and clients of it. Read its properties in tests only: before, nothing is started. */
export interface Service {
  readonly engine: Engine;
  readonly server: TestServer;
  readonly clients: Readonly<Record<Protocol, ApiClient>>;
}

/** A server, and the client of the protocol that the suite is run over. */
export interface ServiceOverProtocol extends Service {
  readonly api: ApiClient;
}

/** Runs one suite on every engine, each with a server of its own. Without a cluster, that engine is reported as skipped. */
export function describeOnEngines(
  title: string,
  suite: (service: Service) => void,
  config: TestServerConfig = {},
): void {
  if (!HAS_CITUS) test.skip(`${title}, on the citus engine (TEST_CITUS_URL is not set)`);
  describe.each(ENGINES)(`${title}, on the %s engine`, (engine) => {
    let server: TestServer;
    let clients: Service["clients"];
    beforeAll(async () => {
      server = await startTestServer(engine, { httpServer: HTTP_SERVER_OF[engine], ...config });
      clients = { json: createJsonClient(server.url + (config.basePath ?? "")), grpc: createGrpcClient(server.port) };
    });
    afterAll(async () => {
      for (const client of Object.values(clients ?? {})) client.close();
      await server?.stop();
    });
    suite({
      engine,
      get server() {
        return server;
      },
      get clients() {
        return clients;
      },
    });
  });
}

/** Runs one suite over every protocol: what it promises holds wherever a client comes from. */
export function describeOverProtocols(service: Service, suite: (service: ServiceOverProtocol) => void): void {
  describe.each(PROTOCOLS)("over %s", (protocol) => {
    suite(Object.create(service, { api: { get: () => service.clients[protocol] } }));
  });
}

/** Runs one suite on every engine and over every protocol. */
export function describeBehaviour(
  title: string,
  suite: (service: ServiceOverProtocol) => void,
  config: TestServerConfig = {},
): void {
  describeOnEngines(title, (service) => describeOverProtocols(service, suite), config);
}
