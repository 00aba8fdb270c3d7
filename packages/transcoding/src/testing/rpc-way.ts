import { once } from "node:events";
import * as http from "node:http";
import * as http2 from "node:http2";
import { type AddressInfo, createServer, type Server } from "node:net";
import { Http2Connection, handleAsRequest } from "@calltrack/http";
import type { ConnectRouter, ConnectRouterOptions, ContextValues, HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { CallContext } from "../calls/call-context.js";
import { createRpcHandler } from "../rpc/rpc-handler.js";
import type { RpcOptions } from "../rpc/rpc-options.js";
import { createNodeHandler, type NodeHandler } from "../runtimes/node-handler.js";

/** A way in which the RPC protocols are served. Both promise the same, but for what a test says. */
export interface RpcWay {
  readonly name: string;
  /** Whether plain unary calls take the short way. */
  readonly isLean: boolean;
  /** Serves a library on HTTP/1.1 or on HTTP/2 without TLS. */
  serve(
    httpVersion: "1.1" | "2",
    routes: (router: ConnectRouter) => void,
    options?: RpcServerOptions,
  ): Promise<RpcServer>;
}

/** The options that both ways have. */
export interface RpcServerOptions
  extends Pick<
    ConnectRouterOptions,
    "interceptors" | "readMaxBytes" | "maxTimeoutMs" | "shutdownSignal" | "requestGate"
  > {
  readonly contextValues?: () => ContextValues;
  // What follows only the lean way has.
  readonly onError?: (error: unknown) => void;
  readonly onBodyTaken?: NonNullable<RpcOptions["onBodyTaken"]>;
  readonly onOutcome?: NonNullable<RpcOptions["onOutcome"]>;
}

/** A library that is being served. */
export interface RpcServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  /** How many requests have reached Connect's own handler. */
  readonly connectRequests: () => number;
}

/** The lean way, and that of `connectNodeAdapter` with its iterator pipeline, on one server of HTTP/2 and on the other. */
export const rpcWays: readonly RpcWay[] = [
  createWay("the lean way on @calltrack/http", true, serveHttp2),
  createWay("the lean way on node:http2", true, serveNodeHttp2),
  createWay("Connect's own way on node:http2", false, serveNodeHttp2),
  createWay("Connect's own way on @calltrack/http", false, serveHttp2),
];

type Close = () => void;

function createWay(name: string, isLean: boolean, serveOverHttp2: (handle: NodeHandler) => [Server, Close]): RpcWay {
  return {
    name,
    isLean,
    async serve(httpVersion, routes, options = {}) {
      let connectRequests = 0;
      const count = () => {
        connectRequests += 1;
      };
      const handle = isLean ? createLeanHandler(routes, options, count) : createConnectHandler(routes, options, count);
      const [server, close] = httpVersion === "2" ? serveOverHttp2(handle) : serveHttp1(handle);
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      return {
        url: `http://127.0.0.1:${port}`,
        port,
        connectRequests: () => connectRequests,
        async [Symbol.asyncDispose]() {
          close();
          server.close();
          await once(server, "close");
        },
      };
    },
  };
}

type Routes = Parameters<RpcWay["serve"]>[1];

function createLeanHandler(
  routes: Routes,
  { contextValues, ...options }: RpcServerOptions,
  onConnectRequest: () => void,
): NodeHandler {
  const requestGate = (context: HandlerContext) => {
    if (!(context instanceof CallContext)) onConnectRequest();
    return options.requestGate?.(context);
  };
  const rpc = createRpcHandler({ routes, ...options, requestGate });
  return createNodeHandler(rpc, contextValues ? { contextValues } : {});
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

function serveNodeHttp2(handle: NodeHandler): [Server, Close] {
  const server = http2.createServer(handle);
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on("session", (session) => sessions.add(session));
  const close = () => {
    for (const session of sessions) session.destroy();
  };
  return [server, close];
}

function serveHttp2(handle: NodeHandler): [Server, Close] {
  const connections = new Set<Http2Connection>();
  const server = createServer((socket) => {
    connections.add(new Http2Connection(socket, (stream) => handleAsRequest(stream, socket, handle)));
  });
  const close = () => {
    for (const connection of connections) connection.destroy();
  };
  return [server, close];
}
