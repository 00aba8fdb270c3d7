import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { readStart } from "./connection-start.js";
import type { Connections } from "./connections.js";
import type { ExchangeHandler, Peer } from "./exchange.js";
import { BodyBudget } from "./limits/body-budget.js";
import { BodyWatch } from "./limits/body-watch.js";
import { ConnectionLimit, type ConnectionListener } from "./limits/connection-limit.js";
import { ConnectionWatch } from "./limits/connection-watch.js";
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "./limits/http-limits.js";
import { createNodeConnections } from "./node/node-connections.js";
import { NodeHttp1Server } from "./node/node-http1-server.js";
import { OwnConnections } from "./own-connections.js";
import { SocketPeer } from "./peer.js";
import type { TlsLayer } from "./tls/tls-layer.js";

/** How a server is run. */
export interface HttpServerOptions {
  /**
   * "own" reads plain HTTP/1.1 requests and all of HTTP/2 from the socket; "node" leaves everything to node:http and node:http2. The
   * README lists the promises that "node" does not keep. Default: "own".
   */
  readonly implementation?: "own" | "node";
  /** Default: `DEFAULT_HTTP_LIMITS`, for each limit that is missing. */
  readonly limits?: Partial<HttpLimits>;
  /** Encrypts the connections. Default: cleartext. */
  readonly tls?: TlsLayer | undefined;
  /** Counts request bodies that nobody has taken: give it to tell it of the others. Default: one of the limits. */
  readonly bodyBudget?: BodyBudget;
  /** Is told of connections. */
  readonly connectionListener?: ConnectionListener;
}

/** A server of HTTP/1.1 and HTTP/2 on one port: HTTP/2 with prior knowledge in cleartext, by ALPN with TLS. */
export interface HttpServer {
  /** Resolves with the port once connections are accepted. Rejects with Node's error if it cannot listen there. */
  listen(port: number, host: string): Promise<number>;
  /**
   * Stops accepting, lets requests in progress finish for at most `requestTimeoutMs`, and resolves when the last connection is closed.
   */
  close(): Promise<void>;
}

const SWEEP_INTERVAL_MS = 50;

/**
 * Creates a server. Node's HTTP/1.1 server listens; it serves the connections that are handed over to it, or all connections of
 * HTTP/1.1 if `implementation` is "node".
 */
export function createHttpServer(handler: ExchangeHandler, options: HttpServerOptions = {}): HttpServer {
  return new DualServer(handler, options);
}

class DualServer implements HttpServer {
  readonly #limits: HttpLimits;
  readonly #tls: TlsLayer | undefined;
  readonly #http1: NodeHttp1Server;
  readonly #connections: Connections;
  readonly #connectionLimit: ConnectionLimit;
  readonly #watch: ConnectionWatch;
  readonly #peers = new WeakMap<Socket, Peer>();
  readonly #retired = new WeakSet<Socket>();
  /** Connections that have not sent enough to tell their version. */
  readonly #undecided = new Set<Socket>();

  constructor(handler: ExchangeHandler, options: HttpServerOptions) {
    const limits: HttpLimits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
    const bodies = new BodyWatch(options.bodyBudget ?? new BodyBudget(limits), limits.trustedProxies, handler);
    const watch = new ConnectionWatch(limits);
    const shared = {
      handler,
      limits,
      peerOf: (socket: Socket) => this.#peers.get(socket) ?? new SocketPeer(socket),
      onPartialBody: bodies.onPartialBody,
    };
    const http1 = new NodeHttp1Server({ ...shared, isRetired: (socket) => this.#retired.has(socket) });
    this.#limits = limits;
    this.#tls = options.tls;
    this.#http1 = http1;
    this.#watch = watch;
    this.#connectionLimit = new ConnectionLimit(limits, options.connectionListener);
    this.#connections =
      options.implementation === "node"
        ? createNodeConnections(http1, shared)
        : new OwnConnections({ ...shared, watch, bodies, handOver: http1.serve });
    http1.server.on("connection", (socket: Socket) => this.#accept(socket));
  }

  async listen(port: number, host: string): Promise<number> {
    const { server } = this.#http1;
    await once(server.listen(port, host), "listening");
    return (server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const { server } = this.#http1;
    this.#tls?.close();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#undecided) socket.destroy();
    this.#connections.close();
    this.#watch.close();
    // A connection that was busy when close() was called would otherwise stay until its keep-alive timeout.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_INTERVAL_MS);
    // By then every request has its response: clients that have not sent or read all of theirs are not waited for.
    const deadline = setTimeout(() => {
      this.#watch.destroy();
      this.#connections.destroy();
    }, this.#limits.requestTimeoutMs);
    await closed;
    clearTimeout(deadline);
    clearInterval(sweep);
    this.#watch.stop();
  }

  #accept(socket: Socket): void {
    if (!this.#connectionLimit.admit(socket)) {
      socket.destroy();
      return;
    }
    this.#undecided.add(socket);
    socket.once("close", () => this.#undecided.delete(socket));
    if (this.#tls === undefined) this.#decide(socket, socket);
    else this.#tls.secure(socket, (clear) => this.#decide(socket, clear));
  }

  /** @param clear the connection that is within the socket, or the socket itself. */
  #decide(socket: Socket, clear: Socket): void {
    readStart(clear, this.#limits.headerTimeoutMs, (isHttp2) => {
      this.#undecided.delete(socket);
      const client = this.#tls?.findClient(clear);
      this.#peers.set(clear, new SocketPeer(clear, client));
      if (isHttp2) {
        this.#connections.serveHttp2(clear, client);
        return;
      }
      client?.onRetired(() => this.#retired.add(clear));
      this.#watch.addHttp1(clear);
      this.#connections.serveHttp1(clear, client);
    });
  }
}
