import { performServerHandshake, type ServerHttp2Session, type ServerOptions } from "node:http2";
import type { Socket } from "node:net";
import { Http2Request } from "@calltrack/transcoding/node";
import type { RefusalReason } from "../errors/http-errors.js";
import { Connection, type ConnectionContext } from "./connection.js";
import type { ServeConnection } from "./serve-connection.js";

/** Flow control windows: what clients may send before the server has processed it. */
const STREAM_WINDOW_BYTES = 256 * 1024;
const CONNECTION_WINDOW_BYTES = 1024 * 1024;

/** Up to this multiple of the limit, headers that are too large are refused; beyond it, Node ends the stream or the connection. */
const HEADER_MARGIN = 4;

const UNLIMITED = 2 ** 31;

/** RFC 9113 section 6.5.2: each field counts 32 bytes more than its name and value. */
const FIELD_OVERHEAD_BYTES = 32;

/**
 * Creates a function that serves HTTP/2 with the stream API of `node:http2`. A request listener would make Node create a second request
 * and response for every stream.
 */
export function createHttp2Connections(context: ConnectionContext): ServeConnection {
  const { limits } = context;
  const options: ServerOptions = {
    settings: {
      maxConcurrentStreams: limits.maxStreams,
      maxHeaderListSize: HEADER_MARGIN * limits.maxHeaderBytes,
      initialWindowSize: STREAM_WINDOW_BYTES,
    },
    // Headers are limited by their size. By default Node also resets streams with more than 128 fields.
    maxHeaderListPairs: (HEADER_MARGIN * limits.maxHeaderBytes) / FIELD_OVERHEAD_BYTES,
    // Otherwise nghttp2 drops a field with whitespace around its value, and the request would run without it, such as If-Match.
    strictFieldWhitespaceValidation: false,
    // Node counts a stream for a moment longer than its client does, and would end the connection after 100 streams too many.
    maxSessionRejectedStreams: UNLIMITED,
  };
  // A proxy multiplexes many clients, each of which may reset its requests.
  const proxyOptions = { ...options, streamResetBurst: UNLIMITED, streamResetRate: UNLIMITED };
  return (socket, certificateName) => {
    // The server that accepted the socket allows half-open connections.
    socket.allowHalfOpen = false;
    const isProxy = limits.trustedProxies(socket.remoteAddress ?? "");
    const session = performServerHandshake(socket, isProxy ? proxyOptions : options);
    return new Http2Connection(socket, certificateName, context, session);
  };
}

class Http2Connection extends Connection {
  readonly #session: ServerHttp2Session;

  constructor(
    socket: Socket,
    certificateName: string | undefined,
    context: ConnectionContext,
    session: ServerHttp2Session,
  ) {
    super(socket, certificateName, context);
    this.#session = session;
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    // The streams report the error to their requests.
    session.on("error", () => session.destroy());
    session.on("stream", (stream, headers, flags, rawHeaders) =>
      this.#serve(new Http2Request(stream, headers, flags, rawHeaders, this)),
    );
  }

  #serve(request: Http2Request): void {
    this.inFlight++;
    this.answer(request, findHttp2Refusal(request, this.context.limits.maxHeaderBytes));
  }

  close(): void {
    this.#session.close();
  }

  retire(): void {
    this.close();
  }

  check(now: number): void {
    const { headerTimeoutMs, idleTimeoutMs } = this.context.limits;
    if (this.inFlight > 0) return;
    const idleMs = now - this.idleSince;
    // A client acknowledges the settings once it has sent the preface and its own.
    if (this.#session.pendingSettingsAck && idleMs >= headerTimeoutMs) this.socket.destroy();
    else if (idleMs >= idleTimeoutMs) this.#session.close();
  }
}

function findHttp2Refusal(request: Http2Request, maxHeaderBytes: number): RefusalReason | undefined {
  const { rawHeaders } = request;
  let bytes = 0;
  let host: string | undefined;
  let expect: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at] as string, rawHeaders[at + 1] as string];
    bytes += name.length + value.length + FIELD_OVERHEAD_BYTES;
    if (name === "host") host = value;
    else if (name === "expect") expect = value;
  }
  if (bytes > maxHeaderBytes) return "HEADERS_TOO_LARGE";
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") return "EXPECTATION_UNSUPPORTED";
  return host !== undefined && isOtherHost(host, request) ? "HOST_MALFORMED" : undefined;
}

/** Whether the Host header and the authority differ (RFC 9113 section 8.3.1). */
function isOtherHost(host: string, request: Http2Request): boolean {
  const scheme = request.header(":scheme");
  return normalize(host, scheme) !== normalize(request.header(":authority") ?? host, scheme);
}

/** Normalizes an authority to lower case, without the default port of the scheme (RFC 3986 section 6.2). */
function normalize(authority: string, scheme: string | undefined): string {
  return authority.toLowerCase().replace(scheme === "https" ? /:443$/ : /:80$/, "");
}
