import * as http from "node:http";
import * as http2 from "node:http2";
import type { Server } from "node:net";
import type { ConnectRouter, ConnectRouterOptions, ContextValues, HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { RpcContext } from "../endpoints/rpc-context.js";
import type { HttpHandler } from "../http/http-handler.js";
import { createNodeHandler, createNodeStreamHandler } from "../node/node-handler.js";
import { createRpcHandler } from "../rpc/rpc-handler.js";
import type { RpcOptions } from "../rpc/rpc-options.js";
import { FrameConnection } from "./grpc-frames.js";
import { type ListeningServer, listen } from "./listen.js";

/** An implementation that serves RPCs over gRPC, gRPC-Web and Connect. All implementations behave the same, unless a test says otherwise. */
export interface RpcServerKind {
  readonly name: string;
  /** Whether unary calls of gRPC and Connect bypass Connect's handlers. */
  readonly isDirect: boolean;
  /** Serves a library on HTTP/1.1 or on HTTP/2 without TLS. */
  serve(httpVersion: "1.1" | "2", routes: Routes, options?: RpcServerOptions): Promise<RpcServer>;
}

/** The options for all implementations. `connectNodeAdapter` ignores the options that it does not have. */
export interface RpcServerOptions
  extends Pick<
      ConnectRouterOptions,
      "interceptors" | "readMaxBytes" | "maxTimeoutMs" | "shutdownSignal" | "requestGate"
    >,
    Pick<RpcOptions, "onError" | "onBodyTaken" | "onOutcome"> {
  readonly contextValues?: () => ContextValues;
}

/** A running server for the library API. */
export interface RpcServer extends ListeningServer {
  /** A connection to the server that sends calls as raw HTTP/2 frames. */
  readonly frames: FrameConnection;
  /** The number of requests that reached Connect's own handlers. */
  readonly connectRequests: () => number;
}

export const directServerKind = createServerKind(
  "createRpcHandler",
  true,
  (routes, { contextValues, ...options }, onConnectRequest) => {
    const handler = createDirectHandler(routes, options, onConnectRequest);
    const nodeOptions = contextValues ? { contextValues } : {};
    return {
      "1.1": () => http.createServer(createNodeHandler(handler, nodeOptions)),
      "2": () => http2.createServer().on("stream", createNodeStreamHandler(handler, nodeOptions)),
    };
  },
);

/** The implementation with `connectNodeAdapter` alone, for comparison. */
export const connectServerKind = createServerKind("connectNodeAdapter", false, (routes, options, onConnectRequest) => {
  const handle = connectNodeAdapter({ routes, ...options });
  return {
    "1.1": () => http.createServer(handle).on("request", onConnectRequest),
    "2": () => http2.createServer(handle).on("request", onConnectRequest),
  };
});

export const rpcServerKinds: readonly RpcServerKind[] = [directServerKind, connectServerKind];

type Servers = Readonly<Record<"1.1" | "2", () => http.Server | http2.Http2Server>>;

function createServerKind(
  name: string,
  isDirect: boolean,
  createServers: (routes: Routes, options: RpcServerOptions, onConnectRequest: () => void) => Servers,
): RpcServerKind {
  return {
    name,
    isDirect,
    async serve(httpVersion, routes, options = {}) {
      let connectRequests = 0;
      const onConnectRequest = () => {
        connectRequests += 1;
      };
      const server: Server = createServers(routes, options, onConnectRequest)[httpVersion]();
      const listening = await listen(server);
      let frames: FrameConnection | undefined;
      return {
        ...listening,
        connectRequests: () => connectRequests,
        get frames() {
          frames ??= new FrameConnection(listening.url);
          return frames;
        },
      };
    },
  };
}

type Routes = (router: ConnectRouter) => void;

function createDirectHandler(
  routes: Routes,
  options: Omit<RpcServerOptions, "contextValues">,
  onConnectRequest: () => void,
): HttpHandler {
  const requestGate = (context: HandlerContext) => {
    if (!(context instanceof RpcContext)) onConnectRequest();
    return options.requestGate?.(context);
  };
  return createRpcHandler({ routes, ...options, requestGate });
}
