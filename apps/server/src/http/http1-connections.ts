import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Http1Request } from "@calltrack/transcoding/node";
import type { HttpErrorReason } from "../errors/http-errors.js";
import { Connection, type ConnectionContext } from "./connection.js";
import type { ConnectionHandler } from "./connection-handler.js";
import { isTlsHandshakeStart } from "./detect-protocol.js";
import { type PartialRequestHead, RawSocketRequest } from "./raw-socket-request.js";

const REFUSALS: Readonly<Record<string, HttpErrorReason>> = { HPE_HEADER_OVERFLOW: "HEADERS_TOO_LARGE" };

/** The error code with which Node's parser reports that a connection ended in the middle of a message. */
const END_OF_INPUT = "HPE_INVALID_EOF_STATE";

/** The length of CRLF: servers ignore one empty line before a request (RFC 9112 section 2.2). */
const EMPTY_LINE_BYTES = 2;

interface ParseError extends NodeJS.ErrnoException {
  /** The bytes in which Node's HTTP parser found the error; undefined for an error of the socket. */
  readonly rawPacket?: Buffer;
}

/** An http or https URL without user information (RFC 9110 section 4.2.4). Other absolute request targets are rejected (section 7.4). */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#@]+)((?:[/?].*)?)$/i;

/** Creates a function that serves HTTP/1.1 connections with `node:http`. Node enforces no time limits on them, because its server does not listen. */
export function createHttp1ConnectionHandler(context: ConnectionContext): ConnectionHandler {
  const server = createServer({
    // `Connection` rejects requests without a Host header itself, with an error in the format of the API.
    requireHostHeader: false,
    maxHeaderSize: context.limits.maxHeaderBytes,
    // `Connection.check` closes idle connections without a timer per request.
    keepAliveTimeout: 0,
    optimizeEmptyRequests: true,
  });
  // Unlimited, because `maxHeaderSize` already limits headers. Node would silently ignore headers beyond the maximum number.
  server.maxHeadersCount = 0;
  const connections = new WeakMap<object, Http1Connection>();
  const of = (socket: object) => connections.get(socket) as Http1Connection;
  server.on("request", (request, response) => of(request.socket).serve(request, response));
  server.on("checkContinue", (request, response) => of(request.socket).serve(request, response, true));
  server.on("checkExpectation", (request, response) =>
    of(request.socket).serve(request, response, false, "EXPECTATION_UNSUPPORTED"),
  );
  server.on("connect", (request, socket) => of(request.socket).refuseTunnel(request, socket as Socket));
  server.on("clientError", (error: ParseError, socket) => of(socket).refuseError(error));
  return (socket, certificateName) => {
    const connection = new Http1Connection(socket, certificateName, context);
    connections.set(socket, connection);
    server.emit("connection", socket);
    return connection;
  };
}

/** Handles the requests of a connection one at a time, in order of arrival (RFC 9112 section 9.3.2). */
class Http1Connection extends Connection {
  /** The in-flight request or, if there is none, the last request. */
  #current: Http1Request | undefined;
  /** Functions that start the pipelined requests, which wait for earlier responses. In order of arrival. */
  readonly #waiting: (() => void)[] = [];
  #isClosing = false;
  /** The value of `socket.bytesRead` when the connection last became idle. */
  #idleBytes = 0;
  /** When bytes of the next request were first seen; undefined before. For the first request, when the connection was opened. */
  #headSince: number | undefined = performance.now();

  /** Handles a request after the responses to earlier requests. Until then, pauses the socket, because Node would buffer requests without limit. */
  serve(request: IncomingMessage, response: ServerResponse, expectsContinue = false, refusal?: HttpErrorReason): void {
    const handle = () => this.#handle(request, response, expectsContinue, refusal);
    if (this.inFlight === 0) {
      handle();
      return;
    }
    this.#waiting.push(handle);
    this.socket.pause();
  }

  /** Rejects a CONNECT request after the responses to earlier requests. Node has already detached its parser from the socket. */
  refuseTunnel(request: IncomingMessage, socket: Socket): void {
    socket.on("error", () => socket.destroy()).resume();
    const refuse = () => this.#refuseUnparsed(request, "METHOD_NOT_ALLOWED");
    if (this.inFlight === 0) refuse();
    else this.#waiting.push(refuse);
  }

  refuseError({ code = "", rawPacket }: ParseError): void {
    const { socket } = this;
    const current = this.inFlight > 0 ? this.#current : undefined;
    // A client that half-closes the connection in the middle of a body counts as disconnected.
    const isGone = code === "ECONNRESET" || (code === END_OF_INPUT && current?.isArriving === true);
    const isHandshake = !this.peer.isEncrypted && rawPacket !== undefined && isTlsHandshakeStart(rawPacket);
    const reason = isHandshake ? "TLS_UNSUPPORTED" : (REFUSALS[code] ?? "REQUEST_MALFORMED");
    if (!socket.writable || isGone) socket.destroy();
    else if (current === undefined) this.#refuseUnparsed({}, reason);
    else if (current.isOver) this.#waiting.push(() => this.#refuseUnparsed({}, reason));
    // The client would read an error response as a part of the response that has begun.
    else if (current.hasResponded) socket.destroy();
    else if (current.isArriving) this.#refuseRest(current, reason);
    else this.#waiting.push(() => this.#refuseUnparsed({}, reason));
  }

  close(): void {
    this.retire();
    if (this.inFlight === 0) this.socket.destroy();
  }

  /** Sends `Connection: close` in the next response instead of closing now, because the client may already be sending a request. */
  retire(): void {
    this.#isClosing = true;
    if (this.#current !== undefined) this.#current.isLast = true;
  }

  check(now: number): void {
    const { headerTimeoutMs, idleTimeoutMs } = this.context.limits;
    if (this.inFlight > 0) return;
    if (this.socket.bytesRead - this.#idleBytes <= EMPTY_LINE_BYTES) {
      if (now - this.idleSince >= idleTimeoutMs) this.socket.destroy();
      return;
    }
    this.#headSince ??= now;
    if (now - this.#headSince < headerTimeoutMs) return;
    // The server has responded to the last request, but the rest of the request's body is still arriving.
    if (this.#current?.isArriving === true) this.socket.destroy();
    else this.#refuseUnparsed({}, "REQUEST_TIMEOUT");
  }

  override onEnd(): void {
    super.onEnd();
    this.#idleBytes = this.socket.bytesRead;
    this.#headSince = undefined;
    const next = this.#waiting.shift();
    if (this.socket.destroyed) return;
    // The server processes no requests after a response with "Connection: close" (RFC 9112 section 9.6).
    if (this.#isClosing || this.#current?.isLast === true) this.socket.destroySoon();
    else {
      if (this.#waiting.length === 0) this.socket.resume();
      next?.();
    }
  }

  #handle(
    request: IncomingMessage,
    response: ServerResponse,
    expectsContinue: boolean,
    refusal?: HttpErrorReason,
  ): void {
    toOriginForm(request);
    this.inFlight++;
    const current = new Http1Request(request, response, this, expectsContinue);
    this.#current = current;
    // Node also parses a request line with another version, such as HTTP/2.0.
    const isMalformed = request.httpVersionMajor !== 1;
    current.isLast = this.#isClosing || isMalformed;
    // Node resumes the paused socket to read the body, so the socket must be paused again after the body.
    if (current.hasBody) request.once("end", () => this.#onBodyEnd());
    this.answer(current, isMalformed ? "REQUEST_MALFORMED" : refusal);
  }

  #onBodyEnd(): void {
    if (this.#waiting.length > 0) this.socket.pause();
    // If the response was sent before the body ended, the connection becomes idle at the end of the body.
    if (this.inFlight > 0) return;
    this.#idleBytes = this.socket.bytesRead;
    this.#headSince = undefined;
  }

  /** Rejects a request that is already being handled, because the rest of its body is invalid. */
  #refuseRest(request: Http1Request, reason: HttpErrorReason): void {
    request.refuseBody();
    this.answer(request, reason);
  }

  #refuseUnparsed(head: PartialRequestHead, reason: HttpErrorReason): void {
    if (this.#isClosing) return;
    this.inFlight++;
    this.#isClosing = true;
    this.answer(new RawSocketRequest(this.socket, head, this), reason);
  }
}

/**
 * Rewrites a request target from absolute form, which clients send to proxies, to origin form. The authority in the target replaces the
 * Host header (RFC 9112 section 3.2.2).
 */
function toOriginForm(request: IncomingMessage): void {
  const { url = "" } = request;
  if (url.startsWith("/")) return;
  const [, authority, rest = ""] = ABSOLUTE_FORM.exec(url) ?? [];
  if (authority === undefined) return;
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
  request.headers.host = authority;
}
