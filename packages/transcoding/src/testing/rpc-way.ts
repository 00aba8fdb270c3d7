import { once } from "node:events";
import * as http from "node:http";
import * as http2 from "node:http2";
import { type AddressInfo, createServer, type Server } from "node:net";
import { Http2Connection, type Http2Stream, handleAsRequest } from "@calltrack/http";
import type { ConnectRouter, ConnectRouterOptions, ContextValues } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createRpcHandler, type RpcHandler } from "../rpc/rpc-handler.js";
import type { RpcOptions } from "../rpc/rpc-options.js";

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
  /** Only the lean way has it. */
  readonly onError?: (error: unknown) => void;
  /** The same. */
  readonly onBodyTaken?: NonNullable<RpcOptions["onBodyTaken"]>;
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

type Handlers = Pick<RpcHandler, "handleRequest"> & Partial<RpcHandler>;

type Close = () => void;

function createWay(name: string, isLean: boolean, serveOverHttp2: (handlers: Handlers) => [Server, Close]): RpcWay {
  return {
    name,
    isLean,
    async serve(httpVersion, routes, options = {}) {
      let connectRequests = 0;
      const connect = connectNodeAdapter({ routes, ...options });
      const fallback: RpcHandler["handleRequest"] = (request, response) => {
        connectRequests += 1;
        connect(request, response);
      };
      const handlers = isLean ? createRpcHandler({ routes, ...options, fallback }) : { handleRequest: fallback };
      const [server, close] = httpVersion === "2" ? serveOverHttp2(handlers) : serveHttp1(handlers);
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

function serveHttp1({ handleRequest }: Handlers): [Server, Close] {
  const server = http.createServer(handleRequest);
  return [server, () => server.closeAllConnections()];
}

function serveNodeHttp2({ handleRequest, handleStreams }: Handlers): [Server, Close] {
  const server = http2.createServer(handleRequest);
  handleStreams?.(server);
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on("session", (session) => sessions.add(session));
  const close = () => {
    for (const session of sessions) session.destroy();
  };
  return [server, close];
}

function serveHttp2({ handleRequest, handleStream }: Handlers): [Server, Close] {
  const connections = new Set<Http2Connection>();
  const server = createServer((socket) => {
    const handle = (stream: Http2Stream) => {
      if (!handleStream?.(stream)) handleAsRequest(stream, socket, handleRequest);
    };
    connections.add(new Http2Connection(socket, handle));
  });
  const close = () => {
    for (const connection of connections) connection.destroy();
  };
  return [server, close];
}
