import {
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { Socket } from "node:net";
import type { ExchangeHandler, Peer, RefusalReason } from "../exchange.js";
import { isValidHost } from "../host.js";
import { namesSeveralHosts } from "../http2/request-head.js";
import type { HttpLimits } from "../limits/http-limits.js";
import type { PartialBodyListener } from "./node-exchange.js";
import { NodeHttp2Exchange } from "./node-http2-exchange.js";
import { sendContinueOnRead } from "./send-continue-on-read.js";

/** Options of `createNodeHttp2Server`. */
export interface NodeHttp2Options {
  readonly handler: ExchangeHandler;
  readonly limits: HttpLimits;
  readonly peerOf: (socket: Socket) => Peer;
  readonly onPartialBody: PartialBodyListener;
}

/** Serves HTTP/2 with `node:http2`. */
export interface NodeHttp2Server {
  /** Serves a connection from its preface on. Returns a function that closes it after its open streams have ended. */
  serve(socket: Socket): () => void;
  /** Refuses new streams, and closes each connection after its open streams have ended. */
  close(): void;
  /** Closes all connections at once. */
  destroy(): void;
}

/** Creates a `NodeHttp2Server` that passes requests to the handler. */
export function createNodeHttp2Server({ handler, limits, peerOf, onPartialBody }: NodeHttp2Options): NodeHttp2Server {
  const sessions = new Map<Socket, ServerHttp2Session>();
  const peers = new WeakMap<object, Peer>();
  /** The socket whose session is being created. */
  let opening: Socket | undefined;
  const server: Http2Server = createServer({
    settings: { maxConcurrentStreams: limits.maxStreams, maxHeaderListSize: limits.maxHeaderBytes },
  });
  const serveRequest = (
    request: Http2ServerRequest,
    response: Http2ServerResponse,
    refusal: RefusalReason | undefined,
  ) => {
    const { session } = request.stream;
    const peer = session && peers.get(session);
    // The connection was closed meanwhile.
    if (peer === undefined) return;
    const exchange = new NodeHttp2Exchange(request, response, peer, onPartialBody);
    watchBody(exchange, limits.bodyTimeoutMs, () => {
      exchange.refuseRest();
      handler.refuse(exchange, "REQUEST_TIMEOUT");
    });
    if (refusal === undefined) handler.handle(exchange);
    else handler.refuse(exchange, refusal);
  };
  server.on("request", (request, response) => serveRequest(request, response, findRefusal(request)));
  server.on("checkContinue", (request, response) => {
    sendContinueOnRead(request, response);
    serveRequest(request, response, findRefusal(request));
  });
  server.on("checkExpectation", (request, response) => serveRequest(request, response, "EXPECTATION_UNSUPPORTED"));
  server.on("connect" as "request", (request, response) => serveRequest(request, response, "METHOD_NOT_ALLOWED"));
  server.on("session", (session) => {
    const socket = opening;
    if (socket === undefined) return;
    peers.set(session, peerOf(socket));
    sessions.set(socket, session);
    session.once("close", () => sessions.delete(socket));
    session.setTimeout(limits.idleTimeoutMs, () => session.close());
    // The streams report the error to their exchanges.
    session.on("error", () => session.destroy());
  });
  return {
    serve(socket) {
      // The HTTP/1.1 server that accepted the socket allows half-open connections.
      socket.allowHalfOpen = false;
      opening = socket;
      server.emit("connection", socket);
      opening = undefined;
      return () => sessions.get(socket)?.close();
    },
    close() {
      for (const session of sessions.values()) session.close();
    },
    destroy() {
      // Closing a session would wait for its client.
      for (const socket of sessions.keys()) socket.destroy();
    },
  };
}

function findRefusal({ headers, rawHeaders }: Http2ServerRequest): RefusalReason | undefined {
  const { host, ":authority": authority } = headers;
  if (namesSeveralHosts(rawHeaders, host, headers)) return "HOST_MALFORMED";
  const named = authority ?? host;
  return named === undefined || isValidHost(named) ? undefined : "HOST_MALFORMED";
}

/** Enforces the body timeout: refuses the body, or resets the stream if the response has begun. */
function watchBody(exchange: NodeHttp2Exchange, timeoutMs: number, refuse: () => void): void {
  if (!exchange.hasBody) return;
  const { stream } = exchange.request;
  let received = 0;
  const check = () => {
    if (exchange.isOver || exchange.request.complete) return;
    if (exchange.isOpenEnded && exchange.receivedBytes > received) {
      received = exchange.receivedBytes;
      timer.refresh();
    } else if (exchange.hasResponded) {
      exchange.abort();
    } else {
      refuse();
    }
  };
  const timer = setTimeout(check, timeoutMs).unref();
  stream.once("close", () => clearTimeout(timer));
}
