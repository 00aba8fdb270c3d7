import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import { Http2Request } from "@calltrack/transcoding/node";
import type { RefusalReason } from "../errors/http-errors.js";
import { Connection, type ConnectionContext } from "./connection.js";
import { findRefusal } from "./find-refusal.js";
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
  const settings = {
    maxConcurrentStreams: limits.maxStreams,
    maxHeaderListSize: HEADER_MARGIN * limits.maxHeaderBytes,
    initialWindowSize: STREAM_WINDOW_BYTES,
  };
  const connections = new WeakMap<object, Http2Connection>();
  const listen = (server: Http2Server) =>
    server.on("stream", (stream, headers, flags, rawHeaders) => {
      const connection = stream.session && connections.get(stream.session);
      // The connection was closed meanwhile.
      if (connection === undefined) return;
      connection.serve(new Http2Request(stream, headers, flags, rawHeaders, connection));
    });
  // Node counts a stream for a moment longer than its client does, and would end the connection after 100 streams too many.
  const options = { settings, maxSessionRejectedStreams: UNLIMITED };
  const server = listen(createServer(options));
  // A proxy multiplexes many clients, each of which may reset its requests.
  const proxyServer = listen(createServer({ ...options, streamResetBurst: UNLIMITED, streamResetRate: UNLIMITED }));
  return (socket, certificateName) => {
    // The server that accepted the socket allows half-open connections.
    socket.allowHalfOpen = false;
    const connection = new Http2Connection(socket, certificateName, context);
    const isProxy = limits.trustedProxies.has(connection.peer.address);
    const onSession = (session: ServerHttp2Session) => {
      connections.set(session, connection);
      connection.open(session);
    };
    // Node creates the session at once, or rejects the connection.
    const target = isProxy ? proxyServer : server;
    target.once("session", onSession).emit("connection", socket);
    target.off("session", onSession);
    return connection;
  };
}

class Http2Connection extends Connection {
  #session: ServerHttp2Session | undefined;

  open(session: ServerHttp2Session): void {
    this.#session = session;
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    // The streams report the error to their requests.
    session.on("error", () => session.destroy());
  }

  serve(request: Http2Request): void {
    const { handler, limits } = this.context;
    this.inFlight++;
    try {
      const refusal = findHttp2Refusal(request, limits.maxHeaderBytes);
      if (refusal === undefined) handler.handle(request);
      else handler.refuse(request, refusal);
    } catch (error) {
      request.fail(error);
    }
  }

  close(): void {
    if (this.#session === undefined) this.socket.destroy();
    else this.#session.close();
  }

  retire(): void {
    this.close();
  }

  check(now: number): void {
    const { headerTimeoutMs, idleTimeoutMs } = this.context.limits;
    if (this.inFlight > 0) return;
    const idleMs = now - this.idleSince;
    // A client acknowledges the settings once it has sent the preface and its own.
    if (this.#session?.pendingSettingsAck !== false && idleMs >= headerTimeoutMs) this.socket.destroy();
    else if (idleMs >= idleTimeoutMs) this.#session?.close();
  }
}

function findHttp2Refusal(request: Http2Request, maxHeaderBytes: number): RefusalReason | undefined {
  let bytes = 0;
  for (const text of request.rawHeaders) bytes += text.length + FIELD_OVERHEAD_BYTES / 2;
  if (bytes > maxHeaderBytes) return "HEADERS_TOO_LARGE";
  const expect = request.header("expect");
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") return "EXPECTATION_UNSUPPORTED";
  return namesSeveralHosts(request.rawHeaders) ? "HOST_MALFORMED" : findRefusal(request);
}

/** Whether the Host header and the authority differ (RFC 9113 section 8.3.1). */
function namesSeveralHosts(fields: readonly string[]): boolean {
  const find = (name: string) => fields[fields.indexOf(name) + 1] as string;
  if (!fields.includes("host") || !fields.includes(":authority")) return false;
  const [host, authority] = [find("host"), find(":authority")];
  return host !== authority && normalize(host, find(":scheme")) !== normalize(authority, find(":scheme"));
}

/** Normalizes an authority to lower case, without the default port of the scheme (RFC 3986 section 6.2). */
function normalize(authority: string, scheme: string): string {
  return authority.toLowerCase().replace(scheme === "https" ? /:443$/ : /:80$/, "");
}
