import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { countFields } from "../count-fields.js";
import type { Exchange, Peer, RefusalReason } from "../exchange.js";
import { isValidHost } from "../host.js";
import { Http1Exchange } from "../http1/http1-exchange.js";
import type { HttpLimits } from "../limits/http-limits.js";
import type { ServeConnection } from "../serve-connection.js";
import { handleInTurn } from "./handle-in-turn.js";
import type { NodeServerOptions } from "./node-exchange.js";
import { NodeHttp1Exchange } from "./node-http1-exchange.js";
import { sendContinueOnRead } from "./send-continue-on-read.js";
import { toOriginForm } from "./to-origin-form.js";

/** A connection that `NodeHttp1Server` serves. */
interface NodeConnection {
  readonly peer: Peer;
  /** Whether it must close after the next response. */
  isRetired: boolean;
  /** The current exchange; undefined before the first. */
  current: NodeHttp1Exchange | undefined;
}

const REFUSALS: Readonly<Record<string, RefusalReason>> = {
  HPE_HEADER_OVERFLOW: "HEADERS_TOO_LARGE",
  ERR_HTTP_REQUEST_TIMEOUT: "REQUEST_TIMEOUT",
};

/** The error code of Node's parser for an incomplete message at the end of the connection. */
const END_OF_INPUT = "HPE_INVALID_EOF_STATE";

/** Serves HTTP/1.1 with `node:http`. Its server listens on the port, but serves only connections passed to `serve`. */
export class NodeHttp1Server {
  readonly server: Server;
  /**
   * Serves a connection. Bytes that were read before must be put back into the socket. The returned function does nothing, because
   * `closeIdleConnections` of the server closes its connections.
   */
  readonly serve: ServeConnection;
  readonly #options: NodeServerOptions;
  readonly #connections = new WeakMap<Socket, NodeConnection>();

  constructor(options: NodeServerOptions) {
    const { handler } = options;
    this.#options = options;
    const server = createServer(serverOptions(options.limits), (request, response) =>
      this.#serve(request, response, (exchange) => handler.handle(exchange)),
    );
    server.on("checkContinue", (request, response) => {
      sendContinueOnRead(request, response);
      server.emit("request", request, response);
    });
    server.on("checkExpectation", (request, response) =>
      this.#serve(request, response, (exchange) => handler.refuse(exchange, "EXPECTATION_UNSUPPORTED")),
    );
    server.on("connect", (request: IncomingMessage, socket: Socket) => this.#refuseTunnel(request, socket));
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => this.#refuseError(error, socket));
    this.server = server;
    const [listener] = server.listeners("connection");
    server.removeAllListeners("connection");
    this.serve = (socket, peer) => {
      const connection: NodeConnection = { peer, isRetired: false, current: undefined };
      this.#connections.set(socket, connection);
      peer.tlsClient?.onRetired(() => {
        connection.isRetired = true;
      });
      listener?.call(server, socket);
      return () => {};
    };
  }

  #connectionOf(socket: Socket): NodeConnection {
    return this.#connections.get(socket) as NodeConnection;
  }

  #serve(request: IncomingMessage, response: ServerResponse, handle: (exchange: NodeHttp1Exchange) => void): void {
    const { handler, onPartialBody } = this.#options;
    handleInTurn(request, response, () => {
      const connection = this.#connectionOf(request.socket);
      if (connection.isRetired) response.setHeader("connection", "close");
      toOriginForm(request);
      const exchange = new NodeHttp1Exchange(request, response, connection.peer, onPartialBody);
      connection.current = exchange;
      const reason = findRefusal(request);
      if (reason === undefined) handle(exchange);
      else handler.refuse(exchange, reason);
    });
  }

  /** Refuses CONNECT. Node has detached its parser from the socket, so no `ServerResponse` exists. */
  #refuseTunnel(request: IncomingMessage, socket: Socket): void {
    socket.on("error", () => socket.destroy()).resume();
    const { peer } = this.#connectionOf(socket);
    const exchange = createClosingExchange(socket, peer, request, () => socket.end(() => socket.destroy()));
    this.#options.handler.refuse(exchange, "METHOD_NOT_ALLOWED");
  }

  /** Responds to a parse error or timeout. */
  #refuseError(error: NodeJS.ErrnoException, socket: Socket): void {
    const { handler } = this.#options;
    const { peer, current: exchange } = this.#connectionOf(socket);
    const isInProgress = exchange !== undefined && !exchange.isOver;
    // A client that half-closes the connection in the middle of a body is treated as disconnected.
    const isGone = error.code === "ECONNRESET" || (error.code === END_OF_INPUT && exchange?.request.complete === false);
    // The client would read a second response as a part of the first.
    if (!socket.writable || isGone || (isInProgress && exchange.hasResponded)) {
      socket.destroy();
      return;
    }
    const reason = REFUSALS[error.code ?? ""] ?? "REQUEST_MALFORMED";
    if (isInProgress && !exchange.request.complete) {
      exchange.isLast = true;
      exchange.refuseRest();
      handler.refuse(exchange, reason);
    } else {
      const last = createClosingExchange(socket, peer, undefined, () => socket.end());
      handler.refuse(last, reason);
    }
  }
}

function serverOptions({ maxHeaderBytes, headerTimeoutMs, bodyTimeoutMs }: HttpLimits): ServerOptions {
  return {
    // The handler refuses requests without a host, in its own format.
    requireHostHeader: false,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headerTimeoutMs,
    requestTimeout: bodyTimeoutMs,
    // The interval at which Node checks these two timeouts.
    connectionsCheckingInterval: Math.min(1000, headerTimeoutMs / 2),
    // ConnectionWatch closes idle connections, without a timer per request.
    keepAliveTimeout: 0,
  };
}

/** Creates the last exchange of a connection that Node no longer parses. */
function createClosingExchange(
  socket: Socket,
  peer: Peer,
  request: IncomingMessage | undefined,
  onResponded: () => void,
): Exchange {
  const head = { method: request?.method ?? "", target: request?.url ?? "", headers: request?.headers ?? {} };
  const exchange = new Http1Exchange({ socket, peer, isClosing: true, onResponded }, head, Buffer.alloc(0));
  socket.once("close", () => exchange.onDisconnect());
  return exchange;
}

/** Finds targets and hosts that two parsers could interpret differently (RFC 9112 section 3.2). */
function findRefusal({
  url = "",
  method,
  httpVersion,
  rawHeaders,
  headers,
}: IncomingMessage): RefusalReason | undefined {
  const hosts = countFields(rawHeaders, "host");
  // Node would use the first of several.
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) return "HOST_MALFORMED";
  if (!url.startsWith("/") && !(url === "*" && method === "OPTIONS")) return "PATH_MALFORMED";
  return headers.host === undefined || isValidHost(headers.host) ? undefined : "HOST_MALFORMED";
}
