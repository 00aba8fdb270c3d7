import { once } from "node:events";
import * as http from "node:http";
import * as http2 from "node:http2";
import type { AddressInfo, Server } from "node:net";
import type { ConnectRouter, ConnectRouterOptions, ContextValues, HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { CallContext } from "../calls/call-context.js";
import type { HttpHandler } from "../http/http-handler.js";
import { createRpcHandler } from "../rpc/rpc-handler.js";
import type { RpcOptions } from "../rpc/rpc-options.js";
import { createNodeHandler, type NodeHandler } from "../runtimes/node-handler.js";
import { serveOnExchanges } from "./exchange-server.js";

/** A way to serve the RPC protocols. All behave the same, except as tests say. */
export interface RpcServerKind {
  readonly name: string;
  /** Whether unary calls of gRPC and Connect bypass Connect's handlers. */
  readonly isDirect: boolean;
  /** Serves a library on HTTP/1.1 or on HTTP/2 without TLS. */
  serve(
    httpVersion: "1.1" | "2",
    routes: (router: ConnectRouter) => void,
    options?: RpcServerOptions,
  ): Promise<RpcServer>;
}

/** The options of all servers. */
export interface RpcServerOptions
  extends Pick<
    ConnectRouterOptions,
    "interceptors" | "readMaxBytes" | "maxTimeoutMs" | "shutdownSignal" | "requestGate"
  > {
  readonly contextValues?: () => ContextValues;
  // Only `createRpcHandler` has the following options.
  readonly onError?: (error: unknown) => void;
  readonly onBodyTaken?: NonNullable<RpcOptions["onBodyTaken"]>;
  readonly onOutcome?: NonNullable<RpcOptions["onOutcome"]>;
}

/** A running server of a library. */
export interface RpcServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  /** The number of requests that reached Connect's own handlers. */
  readonly connectRequests: () => number;
}

/** `createRpcHandler` on each HTTP server, and `connectNodeAdapter`. */
export const rpcServerKinds: readonly RpcServerKind[] = [
  {
    name: "createRpcHandler on @calltrack/http",
    isDirect: true,
    async serve(_, routes, { contextValues, ...options } = {}) {
      const counter = createCounter();
      const { port, close } = await serveOnExchanges(createDirectHandler(routes, options, counter.add), contextValues);
      return {
        url: `http://127.0.0.1:${port}`,
        port,
        connectRequests: counter.count,
        [Symbol.asyncDispose]: close,
      };
    },
  },
  createNodeServerKind(
    "createRpcHandler on node:http2",
    true,
    (routes, { contextValues, ...options }, onConnectRequest) =>
      createNodeHandler(createDirectHandler(routes, options, onConnectRequest), contextValues ? { contextValues } : {}),
  ),
  createNodeServerKind("connectNodeAdapter on node:http2", false, createConnectHandler),
];

function createCounter() {
  let count = 0;
  return {
    add() {
      count += 1;
    },
    count: () => count,
  };
}

function createNodeServerKind(
  name: string,
  isDirect: boolean,
  createHandler: (routes: Routes, options: RpcServerOptions, onConnectRequest: () => void) => NodeHandler,
): RpcServerKind {
  return {
    name,
    isDirect,
    async serve(httpVersion, routes, options = {}) {
      const counter = createCounter();
      const handle = createHandler(routes, options, counter.add);
      const [server, close] = httpVersion === "2" ? serveHttp2(handle) : serveHttp1(handle);
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      return {
        url: `http://127.0.0.1:${port}`,
        port,
        connectRequests: counter.count,
        async [Symbol.asyncDispose]() {
          close();
          server.close();
          await once(server, "close");
        },
      };
    },
  };
}

type Close = () => void;

type Routes = Parameters<RpcServerKind["serve"]>[1];

function createDirectHandler(
  routes: Routes,
  options: Omit<RpcServerOptions, "contextValues">,
  onConnectRequest: () => void,
): HttpHandler {
  const requestGate = (context: HandlerContext) => {
    if (!(context instanceof CallContext)) onConnectRequest();
    return options.requestGate?.(context);
  };
  return createRpcHandler({ routes, ...options, requestGate });
}

function createConnectHandler(routes: Routes, options: RpcServerOptions, onConnectRequest: () => void): NodeHandler {
  const { onError: _, onBodyTaken: __, onOutcome: ___, ...known } = options;
  const connect = connectNodeAdapter({ routes, ...known });
  return (request, response) => {
    onConnectRequest();
    connect(request, response);
  };
}

function serveHttp1(handle: NodeHandler): [Server, Close] {
  const server = http.createServer(handle);
  return [server, () => server.closeAllConnections()];
}

function serveHttp2(handle: NodeHandler): [Server, Close] {
  const server = http2.createServer(handle);
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on("session", (session) => sessions.add(session));
  const close = () => {
    for (const session of sessions) session.destroy();
  };
  return [server, close];
}
