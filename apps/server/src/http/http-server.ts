import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { ContentCoding } from "@calltrack/transcoding";
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "../config/http-limits.js";
import type { Connection, ConnectionContext } from "./connection.js";
import { detectHttp2 } from "./detect-protocol.js";
import { createHttp1Connections } from "./http1-connections.js";
import { createHttp2Connections } from "./http2-connections.js";
import { BodyBudget } from "./limits/body-budget.js";
import { ConnectionLimit } from "./limits/connection-limit.js";
import type { ConnectionListener } from "./limits/limit-metrics.js";
import { rejectCleartextRequests } from "./reject-cleartext-requests.js";
import type { RequestHandler } from "./request-handler.js";
import type { ServeConnection } from "./serve-connection.js";
import type { TlsClient } from "./tls/tls-clients.js";
import type { TlsLayer } from "./tls/tls-layer.js";

export interface HttpServerOptions {
  /** Limits that are not set default to `DEFAULT_HTTP_LIMITS`. */
  readonly limits?: Partial<HttpLimits>;
  /** Encrypts the connections. Default: cleartext. */
  readonly tls?: TlsLayer | undefined;
  /** The content codings of requests and responses. Default: none. */
  readonly codings?: readonly ContentCoding[];
  /** Limits the memory of request bodies. Default: a new budget with the server's limits. */
  readonly bodyBudget?: BodyBudget;
  readonly connectionListener?: ConnectionListener;
  /** Called with an unexpected error that ended a connection. */
  readonly onError?: (error: unknown) => void;
}

/** TCP keep-alive closes connections whose clients have vanished: a health watch has no other time limit. */
const SOCKET_OPTIONS = { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };

/** An HTTP/1.1 and HTTP/2 server on one port. Cleartext HTTP/2 requires prior knowledge; over TLS, ALPN negotiates it. */
export interface HttpServer {
  /** Starts accepting connections and resolves with the port. Rejects with Node's error if the address cannot be bound. */
  listen(port: number, host: string): Promise<number>;
  /** Stops accepting connections, waits at most `requestTimeoutMs` for in-flight requests, and resolves when all connections are closed. */
  close(): Promise<void>;
}

interface Protocols {
  readonly http1: ServeConnection;
  readonly http2: ServeConnection;
}

function createProtocols(context: ConnectionContext): Protocols {
  return { http1: createHttp1Connections(context), http2: createHttp2Connections(context) };
}

/** Creates a server that passes each connection to `node:http` or `node:http2`. */
export function createHttpServer(handler: RequestHandler, options: HttpServerOptions = {}): HttpServer {
  const { tls, codings = [], connectionListener } = options;
  const limits: HttpLimits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
  const connectionLimit = new ConnectionLimit(limits, connectionListener);
  const context = { handler, limits, codings, bodies: options.bodyBudget ?? new BodyBudget(limits) };
  const protocols = createProtocols(context);
  /** Serves clients that send HTTP without TLS to a port with TLS. Undefined if the port has no TLS. */
  const refusing = tls && createProtocols({ ...context, handler: rejectCleartextRequests(handler) });
  /** The connections by accepted socket; undefined until the HTTP version is detected. */
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

  /** Ends the connection if the work throws. */
  function runSafely(socket: Socket, work: () => void): void {
    try {
      work();
    } catch (error) {
      socket.destroy();
      options.onError?.(error);
    }
  }

  /** @param clear the decrypted connection over the socket; the socket itself without TLS. */
  function serve({ http1, http2 }: Protocols, socket: Socket, clear: Socket, client: TlsClient | undefined): void {
    detectHttp2(clear, limits.headerTimeoutMs, (isHttp2) =>
      runSafely(socket, () => {
        const connection = (isHttp2 ? http2 : http1)(clear, client?.name);
        open.set(socket, connection);
        client?.onRetired(() => connection.retire());
      }),
    );
  }

  // Node's HTTP servers enforce no time limits here, because they do not listen themselves.
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
      // Emitted for a connection that could not be accepted, for example for lack of file descriptors.
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
      // Disconnects clients that are still sending a request or reading a response.
      const deadline = setTimeout(() => {
        for (const socket of open.keys()) socket.destroy();
      }, limits.requestTimeoutMs);
      await closed;
      clearTimeout(deadline);
      clearInterval(timer);
    },
  };
}
