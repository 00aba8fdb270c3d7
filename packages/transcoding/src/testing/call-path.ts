import { type Client, type ConnectRouter, createClient, type Transport } from "@connectrpc/connect";
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import { createTranscoder } from "../transcoder/transcoder.js";
import { createJsonTransport } from "./json-transport.js";
import { connectServerKind, directServerKind, type RpcServerKind, type RpcServerOptions } from "./rpc-server-kinds.js";
import { type TestRuntime, testRuntimes } from "./test-runtime.js";

/**
 * A combination of a runtime and a protocol over which a client can call an implementation. All combinations behave the same, apart from the
 * differences that the members describe.
 */
export interface CallPath {
  readonly name: string;
  readonly protocolName: string;
  /** The HTTP method and path of a GetShelf for `shelves/7`, as interceptors and handlers see them. */
  readonly getShelf: { readonly requestMethod: string; readonly pathname: string };
  /** Returns the header with which a client sets a timeout. */
  readonly timeoutHeader: (ms: number) => Readonly<Record<string, string>>;
  /** Whether a client gets a response at its deadline even if the handler ignores the signal. */
  readonly isAnsweredAtDeadline: boolean;
  /** The headers that an interceptor must keep if it replaces the response headers. */
  readonly ownHeaders: Readonly<Record<string, string>>;
  /** The trailers that an interceptor must keep if it replaces the trailers. */
  readonly ownTrailers: Readonly<Record<string, string>>;
  /**
   * Whether headers and trailers from an interceptor replace all headers and trailers from the handler. Connect keeps the handler's other headers,
   * and joins headers of the same name (`copyHeaders` in Connect's `invoke-implementation`).
   */
  readonly replacesHeadersWhole: boolean;
  serve(routes: (router: ConnectRouter) => void, options?: RpcServerOptions): Promise<CallServer>;
}

/** A running server for the library API, and a client of the server. */
export interface CallServer extends AsyncDisposable {
  readonly client: Client<typeof LibraryService>;
}

type Protocol = Pick<CallPath, "protocolName" | "getShelf" | "timeoutHeader">;

const PROCEDURE = { requestMethod: "POST", pathname: "/library.v1.LibraryService/GetShelf" };
const CONNECT = {
  protocolName: "connect",
  getShelf: PROCEDURE,
  timeoutHeader: (ms: number) => ({ "connect-timeout-ms": String(ms) }),
};
const GRPC = {
  protocolName: "grpc",
  getShelf: PROCEDURE,
  timeoutHeader: (ms: number) => ({ "grpc-timeout": `${ms}m` }),
};
const GRPC_WEB = {
  ...GRPC,
  protocolName: "grpc-web",
  ownHeaders: { "content-type": "application/grpc-web+proto" },
  ownTrailers: { "grpc-status": "0" },
};
const OF_THIS_LIBRARY = { isAnsweredAtDeadline: true, ownHeaders: {}, ownTrailers: {}, replacesHeadersWhole: true };
const OF_CONNECT = { isAnsweredAtDeadline: false, ownTrailers: {}, replacesHeadersWhole: false };

/** Client options that compress every request. */
const COMPRESSED = { sendCompression: compressionGzip, compressMinBytes: 0 };

/** The ways to call a service that this package implements, over every runtime and protocol, and the ways that Connect implements, for comparison. */
export const callPaths: readonly CallPath[] = [
  ...testRuntimes.map(transcoderPath),
  directPath("direct Connect JSON on HTTP/1.1", CONNECT, serveConnect(directServerKind, "1.1")),
  directPath("direct Connect protobuf on HTTP/2", CONNECT, serveConnect(directServerKind, "2")),
  directPath("direct gRPC on HTTP/2", GRPC, serveGrpc(directServerKind)),
  directPath("compressed JSON on HTTP/1.1", CONNECT, serveConnect(directServerKind, "1.1", COMPRESSED)),
  directPath("compressed gRPC on HTTP/2", GRPC, serveGrpc(directServerKind, COMPRESSED)),
  {
    name: "the RPC handler's gRPC-Web on HTTP/1.1",
    ...OF_CONNECT,
    ...GRPC_WEB,
    isAnsweredAtDeadline: true,
    serve: serveGrpcWeb(directServerKind),
  },
  {
    name: "Connect's gRPC-Web on HTTP/1.1",
    ...OF_CONNECT,
    ...GRPC_WEB,
    serve: serveGrpcWeb(connectServerKind),
  },
  {
    name: "Connect's JSON on HTTP/1.1",
    ...CONNECT,
    ...OF_CONNECT,
    ownHeaders: { "content-type": "application/json" },
    serve: serveConnect(connectServerKind, "1.1"),
  },
  {
    name: "Connect's gRPC on HTTP/2",
    ...GRPC,
    ...OF_CONNECT,
    ownHeaders: { "content-type": "application/grpc+proto" },
    ownTrailers: { "grpc-status": "0" },
    serve: serveGrpc(connectServerKind),
  },
];

function transcoderPath({ name, serve }: TestRuntime): CallPath {
  return {
    name: `the transcoder on ${name}`,
    protocolName: "transcoding",
    getShelf: { requestMethod: "GET", pathname: "/v1/shelves/7" },
    timeoutHeader: (ms) => ({ "x-server-timeout": String(ms / 1000) }),
    ...OF_THIS_LIBRARY,
    async serve(routes, { contextValues, ...options } = {}) {
      const server = await serve(createTranscoder({ routes, ...options }), contextValues ? { contextValues } : {});
      const transport = createJsonTransport(server);
      return createServer(transport, async () => server[Symbol.asyncDispose]());
    },
  };
}

/** Creates the call path for RPCs that the RPC handler serves without Connect's handlers. */
function directPath(name: string, protocol: Protocol, serve: CallPath["serve"]): CallPath {
  return { name: `the RPC handler's ${name}`, ...protocol, ...OF_THIS_LIBRARY, serve };
}

function serveConnect(way: RpcServerKind, httpVersion: "1.1" | "2", clientOptions = {}): CallPath["serve"] {
  const own = { httpVersion, useBinaryFormat: httpVersion === "2", ...clientOptions };
  return serveRpcs(way, httpVersion, (common) => createConnectTransport({ ...common, ...own }));
}

function serveGrpc(way: RpcServerKind, clientOptions = {}): CallPath["serve"] {
  return serveRpcs(way, "2", (common) => createGrpcTransport({ ...common, ...clientOptions }));
}

function serveGrpcWeb(way: RpcServerKind): CallPath["serve"] {
  return serveRpcs(way, "1.1", (common) => createGrpcWebTransport({ ...common, httpVersion: "1.1" }));
}

function serveRpcs(
  way: RpcServerKind,
  httpVersion: "1.1" | "2",
  createTransport: (common: { baseUrl: string; sessionManager: Http2SessionManager }) => Transport,
): CallPath["serve"] {
  return async (routes, options) => {
    const server = await way.serve(httpVersion, routes, options);
    const sessionManager = new Http2SessionManager(server.url);
    return createServer(createTransport({ baseUrl: server.url, sessionManager }), async () => {
      sessionManager.abort();
      await server[Symbol.asyncDispose]();
    });
  };
}

function createServer(transport: Transport, close: () => Promise<void>): CallServer {
  return { client: createClient(LibraryService, transport), [Symbol.asyncDispose]: close };
}
