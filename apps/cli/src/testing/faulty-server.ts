import { once } from "node:events";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import type { DescService } from "@bufbuild/protobuf";
import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { ClockService } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import { EventService } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { TrafficService } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import { Code, ConnectError, type ConnectRouter, type ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { onTestFinished } from "vitest";

const SERVICES = {
  accounts: AccountService,
  calls: CallService,
  clock: ClockService,
  events: EventService,
  numbers: PhoneNumberService,
  pools: PoolService,
  inventory: InventoryService,
  traffic: TrafficService,
};

type Services = typeof SERVICES;

/** The methods that a faulty server implements, grouped by service. All other methods fail with `unimplemented`. */
export type FaultyMethods = { readonly [Name in keyof Services]?: Partial<ServiceImpl<Services[Name]>> };

/** A server in this process that simulates transport faults. */
export interface FaultyServer {
  readonly url: string;
  /** Breaks all connections. */
  cut(): void;
  close(): void;
}

/** Serves the methods over cleartext HTTP/2 on a free port until the test ends. */
export async function startFaultyServer(methods: FaultyMethods = {}): Promise<FaultyServer> {
  const routes = (router: ConnectRouter) => {
    for (const [name, service] of Object.entries<DescService>(SERVICES))
      router.service(service, methods[name as keyof Services] ?? {});
  };
  const server = createServer(connectNodeAdapter({ routes }));
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => sessions.add(session));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    for (const session of sessions) session.destroy();
  };
  const close = () => {
    cut();
    server.close();
  };
  onTestFinished(close);
  return { url: `http://127.0.0.1:${port}`, cut, close };
}

/** An error that clients may retry. */
export const unavailableError = new ConnectError("the database is unavailable", Code.Unavailable);

/**
 * Creates an API method that throws the given errors, one for each request, and then succeeds. `requests` contains all requests that the method
 * received.
 */
export function createFailingMethod<Request>(...errors: readonly ConnectError[]) {
  const requests: Request[] = [];
  const call = (request: Request) => {
    const error = errors[requests.push(request) - 1];
    if (error !== undefined) throw error;
    return {};
  };
  return { requests, call };
}
