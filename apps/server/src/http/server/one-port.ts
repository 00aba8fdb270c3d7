import {
  createServer as createHttp1Server,
  type Server as Http1Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { Http1Connection } from "@calltrack/http1";
import { Http2Connection, type Http2Stream, handleAsRequest } from "@calltrack/http2";
import type { LimitsSettings } from "../../config/limits-settings.js";
import { formatRefusal, NO_TUNNEL, refusalOfParserError, UNKNOWN_EXPECTATION } from "../../errors/http-refusal.js";
import { NOSNIFF } from "../../errors/nosniff.js";
import type { LimitMetrics } from "../../observability/metrics/limit-metrics.js";
import { continueWhenRead } from "../http1/continue-when-read.js";
import { toOriginForm } from "../http1/origin-form.js";
import type { BodyWatch } from "../limits/body-watch.js";
import { ConnectionLimit } from "../limits/connection-limit.js";
import { ConnectionWatch } from "../limits/connection-watch.js";
import { createStreamRefuser } from "../limits/stream-refusals.js";
import type { RequestHandlers } from "../request-handler.js";
import type { TlsClient } from "../tls/tls-clients.js";
import type { TlsLayer } from "../tls/tls-layer.js";
import { listen } from "./listen.js";

/** The first bytes of the HTTP/2 connection preface (RFC 9113 section 3.4). No HTTP/1.1 request starts like it. */
const PREFACE_START = "PRI";

/** Larger heads are left to Node's server, whatever may be allowed there. */
const MOST_HEAD_BYTES = 16 * 1024;

const SWEEP_INTERVAL_MS = 50;

/** A server for HTTP/1.1 and HTTP/2 on one port: HTTP/2 with prior knowledge in cleartext, by ALPN with TLS. */
export interface OnePortServer {
  /** Resolves with the port once connections are accepted. @throws AddressUnavailableError */
  listen(port: number, host: string): Promise<number>;
  /**
   * Stops accepting, lets the requests that run finish, for as long as a call may take, and resolves when the last connection is
   * closed.
   */
  close(): Promise<void>;
}

/**
 * Creates the server. Node's server of HTTP/1.1 listens, and hands over its connections: those that start like HTTP/2, and the
 * others for as long as their requests are plain.
 *
 * @param tls if it is given, connections are encrypted.
 */
export function createOnePortServer(
  { handleRequest, handleStream, handleWhole }: RequestHandlers,
  limits: LimitsSettings,
  metrics: LimitMetrics,
  bodies: BodyWatch,
  tls?: TlsLayer,
): OnePortServer {
  const http1 = createHttp1Server(http1Options(limits), (request, response) => {
    toOriginForm(request);
    handleRequest(request, response);
  });
  http1.on("checkContinue", (request, response) => {
    continueWhenRead(request, response);
    http1.emit("request", request, response);
  });
  refuseInShape(http1, metrics);
  const connectionLimit = new ConnectionLimit(limits, metrics);
  const watch = new ConnectionWatch(limits);
  const refuseStream = createStreamRefuser(metrics);
  const proxyLimits = { ...limits, isShared: true };
  const serveHttp2 = (socket: Socket, client: TlsClient | undefined) => {
    const handle = (stream: Http2Stream) => {
      if (!handleStream(stream)) handleAsRequest(stream, socket, handleRequest);
    };
    const isProxy = limits.trustedProxies.has(socket.remoteAddress ?? "");
    const bounds = isProxy ? proxyLimits : limits;
    const connection = new Http2Connection(socket, handle, bounds, refuseStream, bodies.onPartialBody);
    client?.onRetired(() => connection.close());
    watch.addHttp2(connection);
  };
  const takeHttp1 = takeConnectionListener(http1);
  const retired = new WeakSet<Socket>();
  const whole = new Set<Http1Connection>();
  const serveHttp1 = (socket: Socket, client: TlsClient | undefined) => {
    const leave = () => {
      whole.delete(connection);
      takeHttp1(socket);
    };
    const maxHeadBytes = Math.min(MOST_HEAD_BYTES, limits.maxHeaderBytes);
    const connection = new Http1Connection(socket, { handle: handleWhole, leave, maxHeadBytes, onKept: bodies.onKept });
    whole.add(connection);
    socket.once("close", () => whole.delete(connection));
    client?.onRetired(() => {
      retired.add(socket);
      connection.retire();
    });
    watch.addHttp1(socket);
  };
  if (tls !== undefined)
    http1.prependListener("request", (request, response) => {
      if (retired.has(request.socket)) response.setHeader("connection", "close");
    });
  const undecided = new Set<Socket>();
  http1.on("connection", (socket: Socket) => {
    if (!connectionLimit.admit(socket)) return void socket.destroy();
    undecided.add(socket);
    socket.once("close", () => undecided.delete(socket));
    const decide = (clear: Socket) =>
      readStart(clear, limits.headerTimeoutMs, (start) => {
        undecided.delete(socket);
        const serve = start === PREFACE_START ? serveHttp2 : serveHttp1;
        serve(clear, tls?.findClient(clear));
      });
    if (tls === undefined) decide(socket);
    else tls.secure(socket, decide);
  });
  return {
    listen: (port, host) => listen(http1, { host, port }, { host: "HOST", port: "PORT" }),
    async close() {
      tls?.close();
      const closed = new Promise<void>((resolve) => http1.close(() => resolve()));
      for (const socket of undecided) socket.destroy();
      for (const connection of whole) connection.close();
      watch.close();
      // A connection that was busy when close() was called would otherwise stay until its keep-alive timeout.
      const sweep = setInterval(() => http1.closeIdleConnections(), SWEEP_INTERVAL_MS);
      // By then every call has its answer; who has not sent all of one, or not taken all of one, is waited for no more.
      const deadline = setTimeout(() => watch.destroy(), limits.requestTimeoutMs);
      await closed;
      clearTimeout(deadline);
      clearInterval(sweep);
      watch.stop();
    },
  };
}

function http1Options({ maxHeaderBytes, headerTimeoutMs, bodyTimeoutMs }: LimitsSettings): ServerOptions {
  return {
    requireHostHeader: false,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headerTimeoutMs,
    requestTimeout: bodyTimeoutMs,
    // How often Node looks at those two.
    connectionsCheckingInterval: Math.min(1000, headerTimeoutMs / 2),
    // ConnectionWatch sees to it, at no cost to any request.
    keepAliveTimeout: 0,
  };
}

/** Gives the refusals that Node would send by itself, some of them without a body, the shape of every other error. */
function refuseInShape(http1: Http1Server, metrics: LimitMetrics): void {
  http1.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // What is under way would be taken for more of an answer that has begun.
    const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null };
    if (!socket.writable || error.code === "ECONNRESET" || answer?.headersSent) return void socket.destroy();
    const { reason, refusal } = refusalOfParserError(error.code);
    metrics.refuseRequest(reason);
    socket.end(formatRefusal(refusal));
  });
  // Node has let go of its socket.
  http1.on("connect", (_request, socket) => {
    socket.on("error", () => socket.destroy()).resume();
    socket.end(formatRefusal(NO_TUNNEL), () => socket.destroy());
  });
  http1.on("checkExpectation", (_request, response) => {
    response.setHeader(...NOSNIFF);
    response.writeHead(UNKNOWN_EXPECTATION.statusCode, { "content-type": "application/json" });
    response.end(UNKNOWN_EXPECTATION.body);
  });
}

function takeConnectionListener(http1: Http1Server): (socket: Socket) => void {
  const [listener] = http1.listeners("connection");
  http1.removeAllListeners("connection");
  return (socket) => listener?.call(http1, socket);
}

/** Reads the first bytes of a connection, puts them back and hands them on. One that sends too few for too long is closed. */
function readStart(socket: Socket, timeoutMs: number, then: (start: string) => void): void {
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  // Without a listener, a connection that is reset this early would end the process; one that ends without a byte, as the probes of
  // load balancers do, would stay half open.
  const onGone = () => socket.destroy();
  const onReadable = () => {
    const start: Buffer | null = socket.read(PREFACE_START.length);
    if (start === null) return;
    done();
    socket.unshift(start);
    then(start.toString("latin1"));
  };
  const done = () => {
    clearTimeout(timer);
    socket.off("readable", onReadable).off("error", onGone).off("end", onGone).off("close", done);
  };
  socket.on("readable", onReadable).on("error", onGone).on("end", onGone).on("close", done);
}
