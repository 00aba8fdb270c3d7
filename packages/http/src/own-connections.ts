import type { ExchangeHandler, RefusalReason } from "./exchange.js";
import { isValidHost } from "./host.js";
import { Http1Connection } from "./http1/http1-connection.js";
import { Http2Connection } from "./http2/http2-connection.js";
import { Http2Exchange } from "./http2/http2-exchange.js";
import type { Http2Stream } from "./http2/http2-stream.js";
import type { RequestHead } from "./http2/request-head.js";
import type { BodyWatch } from "./limits/body-watch.js";
import type { ConnectionWatch } from "./limits/connection-watch.js";
import type { HttpLimits } from "./limits/http-limits.js";
import type { ServeConnection } from "./serve-connection.js";

/** Options of `createOwnConnections`. */
export interface OwnConnectionsOptions {
  readonly handler: ExchangeHandler;
  readonly limits: HttpLimits;
  readonly watch: ConnectionWatch;
  readonly bodies: BodyWatch;
  /** Takes over an HTTP/1.1 connection at the first request that is not plain. */
  readonly handOver: ServeConnection;
}

/** Requests with larger heads are handed over to Node's server, which may allow more. */
const MAX_HEAD_BYTES = 16 * 1024;

/** Serves connections with this package's own parsers: plain HTTP/1.1 requests, and all of HTTP/2. */
export function createOwnConnections({ handler, limits, watch, bodies, handOver }: OwnConnectionsOptions) {
  const serveHttp1: ServeConnection = (socket, peer) => {
    const connection = new Http1Connection(socket, {
      handle: (exchange) => handler.handle(exchange),
      handOver: () => handOver(socket, peer),
      maxHeadBytes: Math.min(MAX_HEAD_BYTES, limits.maxHeaderBytes),
      onBuffered: bodies.onBuffered,
      peer,
    });
    peer.tlsClient?.onRetired(() => connection.retire());
    return () => connection.close();
  };
  const serveHttp2: ServeConnection = (socket, peer) => {
    const isShared = limits.trustedProxies.has(peer.address);
    const onStream = (stream: Http2Stream) => {
      const exchange = new Http2Exchange(stream, peer);
      const reason = findRefusal(stream.head);
      if (reason === undefined) handler.handle(exchange);
      else handler.refuse(exchange, reason);
    };
    const refuse = (stream: Http2Stream, reason: RefusalReason) => {
      const exchange = (stream.observer as Http2Exchange | undefined) ?? new Http2Exchange(stream, peer);
      exchange.refuseRest();
      handler.refuse(exchange, reason);
    };
    const onPartialBody = ({ observer }: Http2Stream) => bodies.onPartialBody(observer as Http2Exchange);
    const connection = new Http2Connection(socket, { limits, isShared, onStream, refuse, onPartialBody });
    peer.tlsClient?.onRetired(() => connection.close());
    watch.add(connection);
    return () => connection.close();
  };
  return { serveHttp1, serveHttp2 };
}

function findRefusal({ method, expect, host }: RequestHead): RefusalReason | undefined {
  if (method === "CONNECT") return "METHOD_NOT_ALLOWED";
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") return "EXPECTATION_UNSUPPORTED";
  return host === undefined || isValidHost(host) ? undefined : "HOST_MALFORMED";
}
