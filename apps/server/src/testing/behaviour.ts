import { afterAll, beforeAll, describe, test } from "vitest";
import type { ApiClient } from "./api-client.js";
import { createGrpcClient } from "./grpc-client.js";
import { createJsonClient } from "./json-client.js";
import { ENGINES, type Engine, HAS_CITUS } from "./test-database.js";
import { startTestServer, type TestServer, type TestServerConfig } from "./test-server.js";

/** The protocols that behaviour tests use. */
export const PROTOCOLS = ["json", "grpc"] as const;

export type Protocol = (typeof PROTOCOLS)[number];

/** The server of a suite and its clients. Read the properties only inside tests and hooks, because the server starts in `beforeAll`. */
export interface Service {
  readonly engine: Engine;
  readonly server: TestServer;
  readonly clients: Readonly<Record<Protocol, ApiClient>>;
}

/** The server of a suite and the client of the tested protocol. */
export interface ServiceOverProtocol extends Service {
  readonly api: ApiClient;
}

/** Runs a suite, which gets what it tests. */
export type DescribeSuite<S> = (title: string, suite: (service: S) => void, config?: TestServerConfig) => void;

/** Runs a suite on every engine, each with its own server. Without a Citus cluster, that engine is reported as skipped. */
export const describeOnEngines: DescribeSuite<Service> = (title, ...rest) => {
  if (!HAS_CITUS) test.skip(`${title}, on the citus engine (TEST_CITUS_URL is not set)`);
  for (const engine of ENGINES) describeOn(engine, `${title}, on the ${engine} engine`, ...rest);
};

/** Runs a suite on PostgreSQL only, because nothing that it tests depends on the engine. */
export const describeOnPostgres: DescribeSuite<Service> = (...given) => describeOn("postgres", ...given);

function describeOn(engine: Engine, ...[title, suite, config = {}]: Parameters<DescribeSuite<Service>>): void {
  describe(title, () => {
    let server: TestServer;
    let clients: Service["clients"];
    beforeAll(async () => {
      server = await startTestServer(engine, config);
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

/** Runs a suite over the given protocols. Default: all, but one on the embedded engine, because protocols and engines are independent. */
export function describeOverProtocols(
  service: Service,
  suite: (service: ServiceOverProtocol) => void,
  protocols: readonly Protocol[] = service.engine === "embedded" ? ["grpc"] : PROTOCOLS,
): void {
  describe.each(protocols)("over %s", (protocol) => {
    suite(Object.create(service, { api: { get: () => service.clients[protocol] } }));
  });
}

/** The protocol of each engine in suites whose behavior does not depend on the protocol. */
const PROTOCOL_BY_ENGINE: Readonly<Record<Engine, Protocol>> = { embedded: "grpc", postgres: "json", citus: "json" };

/** Runs a suite about pool rules on every engine. The protocol varies by engine. */
export const describePoolRules: DescribeSuite<ServiceOverProtocol> = (title, suite, config) => {
  const overOne = (service: Service) => describeOverProtocols(service, suite, [PROTOCOL_BY_ENGINE[service.engine]]);
  describeOnEngines(title, overOne, config);
};

/** Runs a suite on every engine and over every protocol, on the embedded engine over one. */
export const describeBehaviour: DescribeSuite<ServiceOverProtocol> = (title, suite, config) =>
  describeOnEngines(title, (service) => describeOverProtocols(service, suite), config);
