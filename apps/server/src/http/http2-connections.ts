import { performServerHandshake, type ServerHttp2Session, type ServerOptions } from "node:http2";
import type { Socket } from "node:net";
import { Http2Request } from "@calltrack/transcoding/node";
import type { HttpErrorReason } from "../errors/http-errors.js";
import { Connection, type ConnectionContext } from "./connection.js";
import type { ConnectionHandler } from "./connection-handler.js";

/** The flow control windows of a stream and a connection: how many unprocessed bytes a client may send. */
const STREAM_WINDOW_BYTES = 256 * 1024;
const CONNECTION_WINDOW_BYTES = 1024 * 1024;

/** Headers up to this multiple of their limit get an error response. For larger headers, Node resets the stream or closes the connection. */
const HEADER_MARGIN = 4;

const UNLIMITED = 2 ** 31;

/** How many bytes each header field adds to the size of the headers, in addition to its name and value (RFC 9113 section 6.5.2). */
const FIELD_OVERHEAD_BYTES = 32;

/**
 * Creates a function that serves HTTP/2 connections with the stream API of `node:http2`. With the API for requests, Node would create
 * additional request and response objects for every stream.
 */
export function createHttp2ConnectionHandler(context: ConnectionContext): ConnectionHandler {
  const { limits } = context;
  const options: ServerOptions = {
    settings: {
      maxConcurrentStreams: limits.maxStreams,
      maxHeaderListSize: HEADER_MARGIN * limits.maxHeaderBytes,
      initialWindowSize: STREAM_WINDOW_BYTES,
    },
    // Allows any number of fields within the size limit. By default, Node resets streams with more than 128 header fields.
    maxHeaderListPairs: (HEADER_MARGIN * limits.maxHeaderBytes) / FIELD_OVERHEAD_BYTES,
    // By default, nghttp2 drops fields with whitespace around their values, such as an If-Match header, and the request would run without it.
    strictFieldWhitespaceValidation: false,
    // By default, Node closes a connection after it rejects 100 streams. Node counts a closed stream slightly longer than the client does, so it may
    // reject streams of a correct client.
    maxSessionRejectedStreams: UNLIMITED,
  };
  // A proxy sends the requests of many clients over one connection, and each client may reset its requests.
  const proxyOptions = { ...options, streamResetBurst: UNLIMITED, streamResetRate: UNLIMITED };
  return (socket, certificateName) => {
    // `SOCKET_OPTIONS` allows half-open connections, which only HTTP/1.1 needs.
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
    // The error needs no further handling, because each stream of the session also gets the error and reports it to its own request.
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
    // Until the client acknowledges the server's settings, it may not have sent the connection preface.
    if (this.#session.pendingSettingsAck && idleMs >= headerTimeoutMs) this.socket.destroy();
    else if (idleMs >= idleTimeoutMs) this.#session.close();
  }
}

function findHttp2Refusal(request: Http2Request, maxHeaderBytes: number): HttpErrorReason | undefined {
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

/** Whether the Host header differs from `:authority` (RFC 9113 section 8.3.1). */
function isOtherHost(host: string, request: Http2Request): boolean {
  const scheme = request.header(":scheme");
  return normalize(host, scheme) !== normalize(request.header(":authority") ?? host, scheme);
}

/** Converts an authority to lower case and removes the default port of the scheme (RFC 3986 section 6.2). */
function normalize(authority: string, scheme: string | undefined): string {
  return authority.toLowerCase().replace(scheme === "https" ? /:443$/ : /:80$/, "");
}
