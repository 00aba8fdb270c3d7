import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { ContentCoding } from "@calltrack/transcoding";
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "../config/http-limits.js";
import type { Connection, ConnectionContext } from "./connection.js";
import type { ConnectionHandler } from "./connection-handler.js";
import { detectHttp2 } from "./detect-protocol.js";
import { createHttp1ConnectionHandler } from "./http1-connections.js";
import { createHttp2ConnectionHandler } from "./http2-connections.js";
import { BodyBudget } from "./limits/body-budget.js";
import { ConnectionLimit } from "./limits/connection-limit.js";
import type { ConnectionListener } from "./limits/limit-metrics.js";
import { rejectCleartextRequests } from "./reject-cleartext-requests.js";
import type { RequestHandler } from "./request-handler.js";
import type { TlsClient } from "./tls/tls-clients.js";
import type { TlsLayer } from "./tls/tls-layer.js";

export interface HttpServerOptions {
  /** Absent limits default to those in `DEFAULT_HTTP_LIMITS`. */
  readonly limits?: Partial<HttpLimits>;
  /** Performs TLS handshakes on new connections. Default: the server accepts cleartext connections. */
  readonly tls?: TlsLayer | undefined;
  /** The supported content codings of requests and responses. Default: none. */
  readonly codings?: readonly ContentCoding[];
  /** Limits the memory for request bodies. Default: a new budget with the server's limits. */
  readonly bodyBudget?: BodyBudget;
  readonly connectionListener?: ConnectionListener;
  /** Called when an unexpected error has ended a connection. */
  readonly onError?: (error: unknown) => void;
}

/** TCP keep-alive closes connections whose clients have vanished. Streams such as health watches have no other time limit. */
const SOCKET_OPTIONS = { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };

/** Serves HTTP/1.1 and HTTP/2 on one port. Clients use cleartext HTTP/2 with prior knowledge; over TLS, ALPN selects the version. */
export interface HttpServer {
  /** Starts accepting connections and resolves with the port. Rejects with Node's error if the address cannot be bound. */
  listen(port: number, host: string): Promise<number>;
  /** Stops accepting connections, waits at most `requestTimeoutMs` for in-flight requests, and resolves when all connections are closed. */
  close(): Promise<void>;
}

interface Protocols {
  readonly http1: ConnectionHandler;
  readonly http2: ConnectionHandler;
}

function createProtocols(context: ConnectionContext): Protocols {
  return { http1: createHttp1ConnectionHandler(context), http2: createHttp2ConnectionHandler(context) };
}

/** Creates a server that detects the HTTP version of each connection, and serves it with `node:http` or `node:http2`. */
export function createHttpServer(handler: RequestHandler, options: HttpServerOptions = {}): HttpServer {
  const { tls, codings = [], connectionListener } = options;
  const limits: HttpLimits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
  const connectionLimit = new ConnectionLimit(limits, connectionListener);
  const context = { handler, limits, codings, bodies: options.bodyBudget ?? new BodyBudget(limits) };
  const protocols = createProtocols(context);
  /** Rejects requests from clients that send cleartext HTTP to a port with TLS. Undefined if the port has no TLS. */
  const refusing = tls && createProtocols({ ...context, handler: rejectCleartextRequests(handler) });
  /** The open connections, keyed by the accepted socket. The value is undefined until the HTTP version is detected. */
  const open = new Map<Socket, Connection | undefined>();
  let isClosing = false;

  const server = createServer(SOCKET_OPTIONS, (socket) => {
    if (isClosing || !connectionLimit.admit(socket)) {
      socket.destroy();
      return;
    }
    open.set(socket, undefined);
    socket.once("close", () => open.delete(socket));
    if (tls === undefined || refusing === undefined) serve(protocols, socket, socket, undefined);
    else {
      tls.secure(
        socket,
        (clear, client) => serve(protocols, socket, clear, client),
        () => serve(refusing, socket, socket, undefined),
      );
    }
  });

  /** Runs `work` for a connection, and closes the connection if `work` throws. */
  function runSafely(socket: Socket, work: () => void): void {
    try {
      work();
    } catch (error) {
      socket.destroy();
      options.onError?.(error);
    }
  }

  /** @param clear the decrypted connection over `socket`; `socket` itself if the port has no TLS. */
  function serve({ http1, http2 }: Protocols, socket: Socket, clear: Socket, client: TlsClient | undefined): void {
    detectHttp2(clear, limits.headerTimeoutMs, (isHttp2) =>
      runSafely(socket, () => {
        const connection = (isHttp2 ? http2 : http1)(clear, client?.name);
        open.set(socket, connection);
        client?.onRetired(() => connection.retire());
      }),
    );
  }

  // A timer enforces the time limits, because Node's HTTP servers enforce them only on connections that they accept themselves.
  const { headerTimeoutMs, idleTimeoutMs } = limits;
  const timer = setInterval(
    () => {
      const now = performance.now();
      for (const [socket, connection] of open) runSafely(socket, () => connection?.check(now));
    },
    Math.min(1000, headerTimeoutMs / 2, idleTimeoutMs / 2),
  ).unref();

  return {
    async listen(port, host) {
      await once(server.listen(port, host), "listening");
      // Node emits this error for a connection that it cannot accept, for example because the process has no free file descriptors.
      server.on("error", () => connectionListener?.connectionRefused());
      return (server.address() as AddressInfo).port;
    },
    async close() {
      isClosing = true;
      tls?.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const [socket, connection] of open) {
        if (connection === undefined) socket.destroy();
        else connection.close();
      }
      // After the deadline, disconnects clients that are still sending a request or reading a response.
      const deadline = setTimeout(() => {
        for (const socket of open.keys()) socket.destroy();
      }, limits.requestTimeoutMs);
      await closed;
      clearTimeout(deadline);
      clearInterval(timer);
    },
  };
}
