import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { detectHttp2 } from "./detect-http2.js";
import type { ExchangeHandler } from "./exchange.js";
import { BodyBudget } from "./limits/body-budget.js";
import { BodyWatch } from "./limits/body-watch.js";
import { ConnectionLimit, type ConnectionListener } from "./limits/connection-limit.js";
import { ConnectionWatch, WatchedSocket } from "./limits/connection-watch.js";
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "./limits/http-limits.js";
import { NodeHttp1Server } from "./node/node-http1-server.js";
import { createNodeHttp2Server } from "./node/node-http2-server.js";
import { createOwnConnections } from "./own-connections.js";
import { createPeer } from "./peer.js";
import type { TlsLayer } from "./tls/tls-layer.js";

/** Options of `createHttpServer`. */
export interface HttpServerOptions {
  /**
   * "own" parses plain HTTP/1.1 requests and all of HTTP/2 in this package. "node" uses node:http and node:http2 only; the README lists
   * the guarantees that differ. Default: "own".
   */
  readonly implementation?: "own" | "node";
  /** Missing limits default to those of `DEFAULT_HTTP_LIMITS`. */
  readonly limits?: Partial<HttpLimits>;
  /** Encrypts the connections. Default: cleartext. */
  readonly tls?: TlsLayer | undefined;
  /** Limits the memory of request bodies. Pass one to report accepted bodies to it. Default: a new one with the server's limits. */
  readonly bodyBudget?: BodyBudget;
  /** Observes opened, closed and refused connections. */
  readonly connectionListener?: ConnectionListener;
}

/** An HTTP/1.1 and HTTP/2 server on one port. Cleartext HTTP/2 requires prior knowledge; over TLS, ALPN negotiates it. */
export interface HttpServer {
  /** Starts to accept connections and resolves with the port. Rejects with Node's error if the address cannot be bound. */
  listen(port: number, host: string): Promise<number>;
  /** Stops accepting connections, gives requests in progress at most `requestTimeoutMs`, and resolves when all connections are closed. */
  close(): Promise<void>;
}

const SWEEP_INTERVAL_MS = 50;

/**
 * Creates a server. Node's HTTP/1.1 server listens on the port. It serves HTTP/1.1 connections that are handed over to it, or all of
 * them if `implementation` is "node".
 */
export function createHttpServer(handler: ExchangeHandler, options: HttpServerOptions = {}): HttpServer {
  const { tls } = options;
  const limits: HttpLimits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
  const bodies = new BodyWatch(options.bodyBudget ?? new BodyBudget(limits), limits.trustedProxies, handler);
  const watch = new ConnectionWatch(limits);
  const connectionLimit = new ConnectionLimit(limits, options.connectionListener);
  const shared = { handler, limits, onPartialBody: bodies.onPartialBody };
  const { server, serve } = new NodeHttp1Server(shared);
  const { serveHttp1, serveHttp2 } =
    options.implementation === "node"
      ? { serveHttp1: serve, serveHttp2: createNodeHttp2Server(shared) }
      : createOwnConnections({ ...shared, watch, bodies, handOver: serve });
  /** The open connections, each with a function that closes it after its requests in progress. */
  const open = new Map<Socket, () => void>();

  server.on("connection", (socket: Socket) => {
    if (!connectionLimit.admit(socket)) {
      socket.destroy();
      return;
    }
    open.set(socket, () => socket.destroy());
    socket.once("close", () => open.delete(socket));
    if (tls === undefined) serveConnection(socket, socket);
    else tls.secure(socket, (clear) => serveConnection(socket, clear));
  });

  /** @param clear the decrypted connection over the socket; the socket itself without TLS. */
  function serveConnection(socket: Socket, clear: Socket): void {
    detectHttp2(clear, limits.headerTimeoutMs, (isHttp2) => {
      const peer = createPeer(clear, tls?.findClient(clear));
      if (!isHttp2) watch.add(new WatchedSocket(clear, limits));
      open.set(socket, isHttp2 ? serveHttp2(clear, peer) : serveHttp1(clear, peer));
    });
  }

  return {
    async listen(port, host) {
      await once(server.listen(port, host), "listening");
      return (server.address() as AddressInfo).port;
    },
    async close() {
      tls?.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const closeConnection of open.values()) closeConnection();
      // Node keeps a connection that was busy during close() open until its keep-alive timeout.
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_INTERVAL_MS);
      // Disconnects clients that are still sending a request or reading a response.
      const deadline = setTimeout(() => {
        for (const socket of open.keys()) socket.destroy();
      }, limits.requestTimeoutMs);
      await closed;
      clearTimeout(deadline);
      clearInterval(sweep);
      watch.stop();
    },
  };
}
