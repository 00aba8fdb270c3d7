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
const HTTP_SERVER_OF: Readonly<Record<Engine, HttpServerKind>> = {
  embedded: "node",
  postgres: "own",
  citus: "own",
};

/** Runs one suite on both HTTP servers. What Node's cannot promise, `docs/http.md` lists. */
export function describeOnHttpServers(suite: (httpServer: HttpServerKind) => void): void {
  describe.each(HTTP_SERVERS)("on the %s HTTP server", suite);
}

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

/** Runs a suite over every protocol, or over the given ones, because every promise holds for all protocols. */
export function describeOverProtocols(
  service: Service,
  suite: (service: ServiceOverProtocol) => void,
  protocols: readonly Protocol[] = PROTOCOLS,
): void {
  describe.each(protocols)("over %s", (protocol) => {
    suite(Object.create(service, { api: { get: () => service.clients[protocol] } }));
  });
}

/** The protocol of each engine in suites whose promises are kept below all protocols. */
const PROTOCOL_OF: Readonly<Record<Engine, Protocol>> = { embedded: "grpc", postgres: "json", citus: "json" };

/** Runs one suite of rules about pools on every engine, with a different protocol on each. */
export function describePoolRules(
  title: string,
  suite: (service: ServiceOverProtocol) => void,
  config: TestServerConfig = {},
): void {
  describeOnEngines(title, (service) => describeOverProtocols(service, suite, [PROTOCOL_OF[service.engine]]), config);
}

/** Runs one suite on every engine and over every protocol. */
export function describeBehaviour(
  title: string,
  suite: (service: ServiceOverProtocol) => void,
  config: TestServerConfig = {},
): void {
  describeOnEngines(title, (service) => describeOverProtocols(service, suite), config);
}
