import { once } from "node:events";
import * as http from "node:http";
import * as http2 from "node:http2";
import type { AddressInfo } from "node:net";
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
}

/** A library that is being served. */
export interface RpcServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  /** How many requests have reached Connect's own handler. */
  readonly connectRequests: () => number;
}

/** The lean way, and that of `connectNodeAdapter` with its iterator pipeline. */
export const rpcWays: readonly RpcWay[] = [
  createWay("the lean way", true, (fallback, options) => createRpcHandler({ ...options, fallback })),
  createWay("Connect's own way", false, (fallback) => ({ handleRequest: fallback })),
];

type Handlers = Pick<RpcHandler, "handleRequest"> & Partial<RpcHandler>;

function createWay(
  name: string,
  isLean: boolean,
  createHandlers: (fallback: RpcHandler["handleRequest"], options: Omit<RpcOptions, "fallback">) => Handlers,
): RpcWay {
  return {
    name,
    isLean,
    async serve(httpVersion, routes, options = {}) {
      let connectRequests = 0;
      const connect = connectNodeAdapter({ routes, ...options });
      const count: RpcHandler["handleRequest"] = (request, response) => {
        connectRequests += 1;
        connect(request, response);
      };
      const { handleRequest, handleStreams } = createHandlers(count, { routes, ...options });
      const server = httpVersion === "2" ? http2.createServer(handleRequest) : http.createServer(handleRequest);
      if (!("closeAllConnections" in server)) handleStreams?.(server);
      const sessions = new Set<http2.ServerHttp2Session>();
      server.on("session", (session) => sessions.add(session).size);
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      return {
        url: `http://127.0.0.1:${port}`,
        port,
        connectRequests: () => connectRequests,
        async [Symbol.asyncDispose]() {
          for (const session of sessions) session.destroy();
          if ("closeAllConnections" in server) server.closeAllConnections();
          server.close();
          await once(server, "close");
        },
      };
    },
  };
}
