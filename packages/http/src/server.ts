import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { readStart } from "./connection-start.js";
import type { ExchangeHandler, Peer, RefusalReason } from "./exchange.js";
import { isHost } from "./host.js";
import { Http1Connection } from "./http1/http1-connection.js";
import { Http2Connection, type StreamRefusal } from "./http2/http2-connection.js";
import { Http2Exchange } from "./http2/http2-exchange.js";
import type { Http2Stream } from "./http2/http2-stream.js";
import type { RequestHead } from "./http2/request-headers.js";
import { BodyBudget } from "./limits/body-budget.js";
import { BodyWatch } from "./limits/body-watch.js";
import { ConnectionLimit, type ConnectionListener } from "./limits/connection-limit.js";
import { ConnectionWatch } from "./limits/connection-watch.js";
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "./limits/http-limits.js";
import { createNodeHttp1Server } from "./node/node-http1-server.js";
import { createNodeHttp2Server } from "./node/node-http2-server.js";
import { SocketPeer } from "./peer.js";
import type { TlsClient } from "./tls/tls-clients.js";
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

/** Serves a connection whose first bytes were not consumed. */
type ServeConnection = (socket: Socket, client: TlsClient | undefined) => void;

/** Larger heads are handed over to Node's server, whatever is allowed there. */
const MAX_OWN_HEAD_BYTES = 16 * 1024;

const SWEEP_INTERVAL_MS = 50;

const STREAM_REFUSALS: Readonly<Record<StreamRefusal, RefusalReason>> = {
  headers: "HEADERS_TOO_LARGE",
  host: "HOST_MALFORMED",
  body: "REQUEST_TIMEOUT",
};

/**
 * Creates a server. Node's HTTP/1.1 server listens; it serves the connections that are handed over to it, or all connections of
 * HTTP/1.1 if `implementation` is "node".
 */
export function createHttpServer(handler: ExchangeHandler, options: HttpServerOptions = {}): HttpServer {
  const { implementation = "own", tls } = options;
  const limits: HttpLimits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
  const connectionLimit = new ConnectionLimit(limits, options.connectionListener);
  const watch = new ConnectionWatch(limits);
  const bodies = new BodyWatch(options.bodyBudget ?? new BodyBudget(limits), limits.trustedProxies, handler);
  const peers = new WeakMap<Socket, Peer>();
  const retired = new WeakSet<Socket>();
  const nodeOptions = {
    handler,
    limits,
    peerOf: (socket: Socket) => peers.get(socket) ?? new SocketPeer(socket),
    isRetired: (socket: Socket) => retired.has(socket),
    onPartialBody: bodies.onPartialBody,
  };
  const http1 = createNodeHttp1Server(nodeOptions);
  const nodeHttp2 = createNodeHttp2Server(nodeOptions);
  const buffered = new Set<Http1Connection>();

  const serveOwnHttp1: ServeConnection = (socket, client) => {
    const connection = new Http1Connection(socket, {
      handle: (exchange) => handler.handle(exchange),
      handOver() {
        buffered.delete(connection);
        http1.serve(socket);
      },
      maxHeadBytes: Math.min(MAX_OWN_HEAD_BYTES, limits.maxHeaderBytes),
      onKept: bodies.onKept,
      peer: nodeOptions.peerOf(socket),
    });
    buffered.add(connection);
    socket.once("close", () => buffered.delete(connection));
    client?.onRetired(() => connection.retire());
  };

  const serveOwnHttp2: ServeConnection = (socket, client) => {
    const peer = nodeOptions.peerOf(socket);
    const isShared = limits.trustedProxies.has(peer.address);
    const onStream = (stream: Http2Stream) => {
      const exchange = new Http2Exchange(stream, peer);
      const reason = findRefusal(stream.head);
      if (reason === undefined) handler.handle(exchange);
      else handler.refuse(exchange, reason);
    };
    const refuse = (stream: Http2Stream, reason: StreamRefusal) => {
      const exchange = (stream.observer as Http2Exchange | undefined) ?? new Http2Exchange(stream, peer);
      handler.refuse(exchange, STREAM_REFUSALS[reason]);
    };
    const connection = new Http2Connection(socket, onStream, { ...limits, isShared }, refuse, bodies.onPartialStream);
    client?.onRetired(() => connection.close());
    watch.addHttp2(connection);
  };

  const serveNodeHttp2: ServeConnection = (socket, client) => {
    const close = nodeHttp2.serve(socket);
    client?.onRetired(close);
  };

  const serveHttp1 = implementation === "own" ? serveOwnHttp1 : http1.serve;
  const serveHttp2 = implementation === "own" ? serveOwnHttp2 : serveNodeHttp2;
  const undecided = new Set<Socket>();
  const decide = (socket: Socket, clear: Socket) =>
    readStart(clear, limits.headerTimeoutMs, (isHttp2) => {
      undecided.delete(socket);
      const client = tls?.findClient(clear);
      peers.set(clear, new SocketPeer(clear, client));
      if (isHttp2) {
        serveHttp2(clear, client);
        return;
      }
      client?.onRetired(() => retired.add(clear));
      watch.addHttp1(clear);
      serveHttp1(clear, client);
    });
  http1.server.on("connection", (socket: Socket) => {
    if (!connectionLimit.admit(socket)) {
      socket.destroy();
      return;
    }
    undecided.add(socket);
    socket.once("close", () => undecided.delete(socket));
    if (tls === undefined) decide(socket, socket);
    else tls.secure(socket, (clear) => decide(socket, clear));
  });

  return {
    async listen(port, host) {
      await once(http1.server.listen(port, host), "listening");
      return (http1.server.address() as AddressInfo).port;
    },
    async close() {
      tls?.close();
      const closed = new Promise<void>((resolve) => http1.server.close(() => resolve()));
      for (const socket of undecided) socket.destroy();
      for (const connection of buffered) connection.close();
      watch.close();
      nodeHttp2.close();
      // A connection that was busy when close() was called would otherwise stay until its keep-alive timeout.
      const sweep = setInterval(() => http1.server.closeIdleConnections(), SWEEP_INTERVAL_MS);
      // By then every request has its response: clients that have not sent or read all of theirs are not waited for.
      const deadline = setTimeout(() => {
        watch.destroy();
        nodeHttp2.destroy();
      }, limits.requestTimeoutMs);
      await closed;
      clearTimeout(deadline);
      clearInterval(sweep);
      watch.stop();
    },
  };
}

function findRefusal({ method, expect, host }: RequestHead): RefusalReason | undefined {
  if (method === "CONNECT") return "METHOD_NOT_ALLOWED";
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") return "EXPECTATION_UNSUPPORTED";
  return host === undefined || isHost(host) ? undefined : "HOST_MALFORMED";
}
