import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { countFields } from "../count-fields.js";
import type { Exchange, ExchangeHandler, Peer, RefusalReason } from "../exchange.js";
import { isHost } from "../host.js";
import { Http1Exchange } from "../http1/http1-exchange.js";
import type { HttpLimits } from "../limits/http-limits.js";
import { continueWhenRead } from "./continue-when-read.js";
import type { PartialBodyListener } from "./node-exchange.js";
import { NodeHttp1Exchange } from "./node-http1-exchange.js";
import { toOriginForm } from "./origin-form.js";
import { handleInTurn } from "./request-turns.js";

/** What Node's HTTP/1.1 server is told and asked. */
export interface NodeHttp1Options {
  readonly handler: ExchangeHandler;
  readonly limits: HttpLimits;
  readonly peerOf: (socket: Socket) => Peer;
  /** Whether a connection is to end with its next response. */
  readonly isRetired: (socket: Socket) => boolean;
  readonly onPartialBody: PartialBodyListener;
}

const REFUSALS: Readonly<Record<string, RefusalReason>> = {
  HPE_HEADER_OVERFLOW: "HEADERS_TOO_LARGE",
  ERR_HTTP_REQUEST_TIMEOUT: "REQUEST_TIMEOUT",
};

/** Node's parser says this of a message that is cut off. */
const END_OF_INPUT = "HPE_INVALID_EOF_STATE";

/** Node's HTTP/1.1 server for a handler of exchanges. It listens, but serves only the connections that it is given. */
export class NodeHttp1Server {
  readonly server: Server;
  /** Serves a connection, of which bytes may have been put back. */
  readonly serve: (socket: Socket) => void;
  readonly #options: NodeHttp1Options;
  /** The exchange of each connection whose turn it is. */
  readonly #current = new WeakMap<Socket, NodeHttp1Exchange>();

  constructor(options: NodeHttp1Options) {
    const { handler } = options;
    this.#options = options;
    const server = createServer(serverOptions(options.limits), (request, response) =>
      this.#take(request, response, (exchange) => handler.handle(exchange)),
    );
    server.on("checkContinue", (request, response) => {
      continueWhenRead(request, response);
      server.emit("request", request, response);
    });
    server.on("checkExpectation", (request, response) =>
      this.#take(request, response, (exchange) => handler.refuse(exchange, "EXPECTATION_UNSUPPORTED")),
    );
    server.on("connect", (request: IncomingMessage, socket: Socket) => this.#refuseTunnel(request, socket));
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => this.#refuseError(error, socket));
    this.server = server;
    this.serve = takeConnectionListener(server);
  }

  #take(request: IncomingMessage, response: ServerResponse, handle: (exchange: NodeHttp1Exchange) => void): void {
    const { handler, peerOf, isRetired, onPartialBody } = this.#options;
    handleInTurn(request, response, () => {
      const { socket } = request;
      if (isRetired(socket)) response.setHeader("connection", "close");
      const hostRefusal = findHostRefusal(request);
      toOriginForm(request);
      const exchange = new NodeHttp1Exchange(request, response, peerOf(socket), onPartialBody);
      this.#current.set(socket, exchange);
      const reason = hostRefusal ?? findTargetRefusal(request);
      if (reason === undefined) handle(exchange);
      else handler.refuse(exchange, reason);
    });
  }

  /** Node has let go of the socket. */
  #refuseTunnel(request: IncomingMessage, socket: Socket): void {
    const { handler, peerOf } = this.#options;
    socket.on("error", () => socket.destroy()).resume();
    const exchange = createLastExchange(socket, peerOf(socket), request, () => socket.end(() => socket.destroy()));
    handler.refuse(exchange, "METHOD_NOT_ALLOWED");
  }

  /** Refuses what Node's parser gave up on, or what took too long. */
  #refuseError(error: NodeJS.ErrnoException, socket: Socket): void {
    const { handler, peerOf } = this.#options;
    const exchange = this.#current.get(socket);
    const isInProgress = exchange !== undefined && !exchange.isOver;
    // A client that ends its side in the middle of a body is not there for the response either.
    const isGone = error.code === "ECONNRESET" || (error.code === END_OF_INPUT && exchange?.request.complete === false);
    // More would be taken for a part of the response that has begun.
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
      const last = createLastExchange(socket, peerOf(socket), undefined, () => socket.end());
      handler.refuse(last, reason);
    }
  }
}

function serverOptions({ maxHeaderBytes, headerTimeoutMs, bodyTimeoutMs }: HttpLimits): ServerOptions {
  return {
    // A missing host is refused as every other request, in the handler's shape.
    requireHostHeader: false,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headerTimeoutMs,
    requestTimeout: bodyTimeoutMs,
    // How often Node checks those two.
    connectionsCheckingInterval: Math.min(1000, headerTimeoutMs / 2),
    // ConnectionWatch closes idle connections, at no cost to any request.
    keepAliveTimeout: 0,
  };
}

/** An exchange that ends its connection, of which only a socket is left. */
function createLastExchange(
  socket: Socket,
  peer: Peer,
  request: IncomingMessage | undefined,
  onResponded: () => void,
): Exchange {
  const head = {
    method: request?.method ?? "",
    target: request?.url ?? "",
    headers: request?.headers ?? {},
    contentLength: 0,
    isLast: true,
  };
  const exchange = new Http1Exchange({ socket, peer, isClosing: true, onResponded }, head, Buffer.alloc(0));
  socket.once("close", () => exchange.giveUp());
  return exchange;
}

/** RFC 9112 section 3.2. Node keeps the first of several hosts. */
function findHostRefusal(request: IncomingMessage): RefusalReason | undefined {
  const hosts = countFields(request.rawHeaders, "host");
  return hosts > 1 || (hosts === 0 && request.httpVersion === "1.1") ? "HOST_MALFORMED" : undefined;
}

/** What two readers could understand differently (RFC 9112 section 3.2). */
function findTargetRefusal({ url = "", method, headers: { host } }: IncomingMessage): RefusalReason | undefined {
  if (!url.startsWith("/") && !(url === "*" && method === "OPTIONS")) return "PATH_MALFORMED";
  return host === undefined || isHost(host) ? undefined : "HOST_MALFORMED";
}

function takeConnectionListener(server: Server): (socket: Socket) => void {
  const [listener] = server.listeners("connection");
  server.removeAllListeners("connection");
  return (socket) => listener?.call(server, socket);
}
