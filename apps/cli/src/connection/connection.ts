import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  ClientSessionRequestOptions,
  OutgoingHttpHeaders,
} from "node:http2";
import type { Interceptor, Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { createProxyAgent } from "./proxy-agent.js";
import type { RpcProtocolName } from "./rpc-protocol-name.js";
import { readTlsOptions, type TlsFilePaths } from "./tls-options.js";

/** The address of the service, and how to connect to it. */
export interface ConnectionOptions extends TlsFilePaths {
  readonly server: string;
  /** Default: gRPC, or Connect if requests go through a proxy, because proxies forward HTTP/1.1. */
  readonly protocol?: RpcProtocolName | undefined;
  /** Deadline of each request, in milliseconds. */
  readonly timeout: number;
  readonly interceptors: Interceptor[];
}

/** A connection to the service. An open connection keeps the process alive until `close` is called. */
export interface Connection {
  readonly transport: Transport;
  close(): void;
}

/**
 * Creates a connection, which opens with the first request. gRPC uses HTTP/2: over TLS for an https URL, otherwise in cleartext with prior
 * knowledge. Connect and gRPC-Web use HTTP/1.1, for networks that block HTTP/2 or need a proxy.
 *
 * @throws UsageError if a TLS file cannot be used.
 */
export function openConnection(options: ConnectionOptions): Connection {
  const { server, timeout, interceptors } = options;
  const agent = createProxyAgent(server);
  const { protocol = agent === undefined ? "grpc" : "connect" } = options;
  const common = { baseUrl: server, defaultTimeoutMs: timeout, interceptors };
  const tls = readTlsOptions(options);
  const nodeOptions = { ...tls, ...(agent && { agent }) };
  const http2 = new QuietSessionManager(server, undefined, tls);
  const create: Record<RpcProtocolName, () => Transport> = {
    grpc: () => createGrpcTransport({ ...common, sessionManager: http2 }),
    connect: () => createConnectTransport({ ...common, httpVersion: "1.1", nodeOptions }),
    "grpc-web": () => createGrpcWebTransport({ ...common, httpVersion: "1.1", nodeOptions }),
  };
  return { transport: create[protocol](), close: () => http2.abort() };
}

/**
 * Ignores errors from broken sessions: their requests have already failed, and an unhandled error event would end the process.
 *
 * Sends the host and port of the URL as `:authority`, because Node.js omits the brackets around an IPv6 address, and the server rejects such requests.
 */
class QuietSessionManager extends Http2SessionManager {
  readonly #quieted = new WeakSet<ClientHttp2Session>();

  override async request(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders,
    options: ClientSessionRequestOptions,
  ): Promise<ClientHttp2Stream> {
    const stream = await super.request(
      method,
      path,
      { ...headers, ":authority": new URL(this.authority).host },
      options,
    );
    const { session } = stream;
    if (session !== undefined && !this.#quieted.has(session as ClientHttp2Session)) {
      this.#quieted.add(session as ClientHttp2Session);
      session.on("error", () => {});
    }
    return stream;
  }
}
