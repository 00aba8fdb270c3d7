import {
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { Peer, RefusalReason } from "../exchange.js";
import { isValidHost } from "../host.js";
import { namesSeveralHosts } from "../http2/request-head.js";
import type { ServeConnection } from "../serve-connection.js";
import type { NodeServerOptions } from "./node-exchange.js";
import { NodeHttp2Exchange } from "./node-http2-exchange.js";
import { sendContinueOnRead } from "./send-continue-on-read.js";

/** Creates a server that serves HTTP/2 with `node:http2` and passes requests to the handler. */
export function createNodeHttp2Server({ handler, limits, onPartialBody }: NodeServerOptions): ServeConnection {
  const peers = new WeakMap<object, Peer>();
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
  return (socket, peer) => {
    // The HTTP/1.1 server that accepted the socket allows half-open connections.
    socket.allowHalfOpen = false;
    let close = () => {};
    const onSession = (session: ServerHttp2Session) => {
      peers.set(session, peer);
      session.setTimeout(limits.idleTimeoutMs, () => session.close());
      // The streams report the error to their exchanges.
      session.on("error", () => session.destroy());
      close = () => session.close();
    };
    // Node creates the session at once, or rejects the connection.
    server.once("session", onSession).emit("connection", socket);
    server.off("session", onSession);
    peer.tlsClient?.onRetired(close);
    return close;
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
