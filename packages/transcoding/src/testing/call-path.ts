import { once } from "node:events";
import * as http from "node:http";
import * as http2 from "node:http2";
import type { AddressInfo } from "node:net";
import {
  type Client,
  type ConnectRouter,
  type ConnectRouterOptions,
  type ContextValues,
  createClient,
  type Transport,
} from "@connectrpc/connect";
import {
  connectNodeAdapter,
  createConnectTransport,
  createGrpcTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import { createTranscoder } from "../transcoder.js";
import { createJsonTransport } from "./json-transport.js";
import { runtimes, type TestRuntime } from "./test-runtime.js";

/** A way from a client to an implementation. All promise the same, but for what the members say. */
export interface CallPath {
  readonly name: string;
  readonly protocolName: string;
  /** How a GetShelf of `shelves/7` looks to interceptors and handlers. */
  readonly getShelf: { readonly requestMethod: string; readonly pathname: string };
  /** The header by which a client asks for a timeout. */
  readonly timeoutHeader: (ms: number) => readonly [string, string];
  /** Whether responses can have trailers beside their headers. */
  readonly hasTrailers: boolean;
  /** Whether a client is answered at its deadline even where the handler pays no heed to it. */
  readonly isAnsweredAtDeadline: boolean;
  /** What an interceptor that makes the response's headers anew must not leave out. */
  readonly ownHeaders: Readonly<Record<string, string>>;
  /** The same of the trailers. */
  readonly ownTrailers: Readonly<Record<string, string>>;
  /**
   * Whether the headers and trailers that an interceptor puts in place of the handler's are all there is. Connect leaves
   * every other one of the handler's, and joins those of one name (`copyHeaders` in its `invoke-implementation`).
   */
  readonly replacesHeadersWhole: boolean;
  serve(routes: (router: ConnectRouter) => void, options?: CallPathOptions): Promise<CallServer>;
}

/** The options that Connect's adapters and the transcoder have in common. */
export interface CallPathOptions
  extends Pick<
    ConnectRouterOptions,
    "interceptors" | "readMaxBytes" | "maxTimeoutMs" | "shutdownSignal" | "requestGate"
  > {
  readonly contextValues?: () => ContextValues;
}

/** A library that is being served. */
export interface CallServer extends AsyncDisposable {
  readonly client: Client<typeof LibraryService>;
}

/** The lean path of the transcoder in every runtime, and Connect's own with its iterator pipeline. */
export const callPaths: readonly CallPath[] = [
  ...runtimes.map(transcoderPath),
  {
    name: "Connect's JSON on HTTP/1.1",
    protocolName: "connect",
    getShelf: { requestMethod: "POST", pathname: "/library.v1.LibraryService/GetShelf" },
    timeoutHeader: (ms) => ["connect-timeout-ms", String(ms)],
    hasTrailers: true,
    isAnsweredAtDeadline: false,
    ownHeaders: { "content-type": "application/json" },
    ownTrailers: {},
    replacesHeadersWhole: false,
    serve: serveConnect,
  },
  {
    name: "Connect's gRPC on HTTP/2",
    protocolName: "grpc",
    getShelf: { requestMethod: "POST", pathname: "/library.v1.LibraryService/GetShelf" },
    timeoutHeader: (ms) => ["grpc-timeout", `${ms}m`],
    hasTrailers: true,
    isAnsweredAtDeadline: false,
    ownHeaders: { "content-type": "application/grpc+proto" },
    ownTrailers: { "grpc-status": "0" },
    replacesHeadersWhole: false,
    serve: serveGrpc,
  },
];

function transcoderPath({ name, hasTrailers, serve }: TestRuntime): CallPath {
  return {
    name: `the transcoder on ${name}`,
    protocolName: "transcoding",
    getShelf: { requestMethod: "GET", pathname: "/v1/shelves/7" },
    timeoutHeader: (ms) => ["x-server-timeout", String(ms / 1000)],
    hasTrailers,
    isAnsweredAtDeadline: true,
    ownHeaders: {},
    ownTrailers: {},
    replacesHeadersWhole: true,
    async serve(routes, { contextValues, ...options } = {}) {
      const server = await serve(createTranscoder({ routes, ...options }), contextValues ? { contextValues } : {});
      const transport = createJsonTransport(server, hasTrailers);
      return createServer(transport, async () => server[Symbol.asyncDispose]());
    },
  };
}

async function serveConnect(routes: (router: ConnectRouter) => void, options: CallPathOptions = {}) {
  const server = http.createServer(connectNodeAdapter({ routes, ...options }));
  const baseUrl = await listen(server);
  const transport = createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false });
  return createServer(transport, async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
}

async function serveGrpc(routes: (router: ConnectRouter) => void, options: CallPathOptions = {}) {
  const server = http2.createServer(connectNodeAdapter({ routes, ...options }));
  const baseUrl = await listen(server);
  const sessionManager = new Http2SessionManager(baseUrl);
  return createServer(createGrpcTransport({ baseUrl, sessionManager }), async () => {
    sessionManager.abort();
    server.close();
    await once(server, "close");
  });
}

async function listen(server: http.Server | http2.Http2Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function createServer(transport: Transport, close: () => Promise<void>): CallServer {
  return { client: createClient(LibraryService, transport), [Symbol.asyncDispose]: close };
}
