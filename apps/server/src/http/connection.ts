import type { Socket } from "node:net";
import type { ContentCoding } from "@calltrack/transcoding";
import type { ConnectionPeer, NodeRequest, RequestConnection } from "@calltrack/transcoding/node";
import type { HttpLimits } from "../config/http-limits.js";
import type { HttpErrorReason } from "../errors/http-errors.js";
import type { BodyBudget, PendingBody } from "./limits/body-budget.js";
import { readClientAddress, toClientNetwork } from "./limits/client-address.js";
import type { RequestHandler } from "./request-handler.js";

/** Objects that all connections of a server share. */
export interface ConnectionContext {
  readonly handler: RequestHandler;
  readonly limits: HttpLimits;
  readonly codings: readonly ContentCoding[];
  readonly bodies: BodyBudget;
}

/** Bodies below this size do not count against `BodyBudget`, because the other data of their requests takes more memory. */
const MIN_COUNTED_BYTES = 1024;

/** A registered name or an IP address, with an optional port (RFC 9110 section 7.2). Excludes characters that need percent-encoding. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** The last Host header that was found valid. Most requests have the same host, which then needs no second validation. */
let lastHost = "";

/** A client connection whose HTTP version has been detected. */
export abstract class Connection implements RequestConnection {
  readonly peer: ConnectionPeer;
  readonly codings: readonly ContentCoding[];
  readonly socket: Socket;
  protected readonly context: ConnectionContext;
  protected inFlight = 0;
  /** When the connection was opened or its last request ended, in milliseconds of `performance.now()`. */
  protected idleSince = performance.now();

  constructor(socket: Socket, certificateName: string | undefined, context: ConnectionContext) {
    this.socket = socket;
    this.context = context;
    this.codings = context.codings;
    this.peer = {
      address: socket.remoteAddress ?? "",
      port: socket.remotePort,
      isEncrypted: "encrypted" in socket,
      certificateName,
    };
  }

  /** Accepts no new requests, and closes the connection when its in-flight requests have ended. */
  abstract close(): void;

  /**
   * Closes the connection after its in-flight requests, because its client certificate is no longer accepted. An idle HTTP/1.1 connection closes
   * after its next request.
   */
  abstract retire(): void;

  /** Enforces the time limits of an idle connection. Called periodically with the current `performance.now()`. */
  abstract check(now: number): void;

  /** Lets the handler serve the request, or reject it if its host or target is ambiguous. An error in the handler ends only this request. */
  protected answer(request: NodeRequest, refusal: HttpErrorReason | undefined): void {
    const { handler } = this.context;
    try {
      const reason = refusal ?? findRefusal(request);
      if (reason === undefined) handler.handle(request)?.catch((error) => request.fail(error));
      else handler.refuse(request, reason);
    } catch (error) {
      request.fail(error);
    }
  }

  onError(request: NodeRequest, error: unknown): void {
    this.context.handler.fail(request, error);
  }

  onBodyPiece(request: NodeRequest): void {
    const bytes = request.receivedBytes;
    if (bytes >= MIN_COUNTED_BYTES) this.context.bodies.receive(request, bytes, this.#ownerOf);
  }

  onBodyComplete(request: NodeRequest): void {
    this.#releaseBody(request);
    this.context.handler.completeBody?.(request);
  }

  onComplete(request: NodeRequest): void {
    this.#releaseBody(request);
    this.context.handler.complete?.(request);
  }

  onEnd(): void {
    this.inFlight--;
    this.idleSince = performance.now();
  }

  #releaseBody(request: NodeRequest): void {
    if (request.receivedBytes >= MIN_COUNTED_BYTES) this.context.bodies.release(request);
  }

  readonly #ownerOf = (request: NodeRequest): PendingBody => ({
    address: toClientNetwork(readClientAddress(request, this.context.limits.trustedProxies)),
    drop: () => {
      request.refuseBody();
      if (request.hasResponded) request.abort();
      else this.context.handler.refuse(request, "OVERLOADED");
    },
  });
}

/** Returns why to reject a request whose host or target two parsers could interpret differently (RFC 9112 section 3.2). */
function findRefusal(request: NodeRequest): HttpErrorReason | undefined {
  const { method, target } = request;
  const host = request.header("host");
  // Node would silently use the first of several Host headers.
  if (request.isRepeated("host") || (host === undefined && request.httpVersion === "1.1")) return "HOST_MALFORMED";
  if (method === "CONNECT") return "METHOD_NOT_ALLOWED";
  if (!target.startsWith("/") && !(target === "*" && method === "OPTIONS")) return "PATH_MALFORMED";
  return host === undefined || isValidHost(host) ? undefined : "HOST_MALFORMED";
}

/** Whether the value of a Host header or `:authority` could be the authority of a URL. */
function isValidHost(text: string): boolean {
  if (text === lastHost) return true;
  if (!HOST.test(text) || !URL.canParse(`http://${text}`)) return false;
  lastHost = text;
  return true;
}
