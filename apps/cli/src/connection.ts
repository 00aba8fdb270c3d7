import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import type { Interceptor, Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import type { ProtocolName } from "./protocol-name.js";
import { readTlsOptions, type TlsFiles } from "./tls-options.js";

/** Where the service is and how to speak to it. */
export interface ConnectionOptions extends TlsFiles {
  readonly server: string;
  readonly protocol: ProtocolName;
  /** The deadline of each request, in milliseconds. */
  readonly timeout: number;
  readonly interceptors: Interceptor[];
}

/** A way to the service, which keeps the process alive until it is closed. */
export interface Connection {
  readonly transport: Transport;
  close(): void;
}

/**
 * Prepares a connection: nothing is sent before the first request. gRPC goes over HTTP/2, in cleartext with prior knowledge
 * unless the URL says https; Connect and gRPC-Web go over HTTP/1.1, for networks that let nothing else through. Throws a UsageError
 * for files of TLS that can't be used.
 */
export function openConnection(options: ConnectionOptions): Connection {
  const { server, protocol, timeout, interceptors } = options;
  const common = { baseUrl: server, defaultTimeoutMs: timeout, interceptors };
  const nodeOptions = readTlsOptions(options);
  const http2 = new QuietSessionManager(server, undefined, nodeOptions);
  const create: Record<ProtocolName, () => Transport> = {
    grpc: () => createGrpcTransport({ ...common, sessionManager: http2 }),
    connect: () => createConnectTransport({ ...common, httpVersion: "1.1", nodeOptions }),
    "grpc-web": () => createGrpcWebTransport({ ...common, httpVersion: "1.1", nodeOptions }),
  };
  return { transport: create[protocol](), close: () => http2.abort() };
}

/**
 * A session that breaks fails its requests, and then reports the same error once more when the manager has let go of it,
 * which would end the process.
 */
class QuietSessionManager extends Http2SessionManager {
  readonly #quieted = new WeakSet<ClientHttp2Session>();

  override async request(...request: Parameters<Http2SessionManager["request"]>): Promise<ClientHttp2Stream> {
    const stream = await super.request(...request);
    const { session } = stream;
    if (session !== undefined && !this.#quieted.has(session as ClientHttp2Session)) {
      this.#quieted.add(session as ClientHttp2Session);
      session.on("error", () => {});
    }
    return stream;
  }
}
