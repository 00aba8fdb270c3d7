import type { IncomingHttpHeaders } from "node:http";
import type { TlsClient } from "./tls/tls-clients.js";

/** Header fields by their names in lower case; a list is sent as one field line each. A frozen object may be encoded once and kept. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Receives the body of a request. */
export interface BodyReceiver {
  /** The next bytes; the client may send more once they are given to {@link Exchange.consume}. */
  onData(chunk: Buffer): void;
  /** The body is complete. */
  onEnd(): void;
  /** The rest of the body will not arrive: the client disconnected, or the server refused the rest with `error`. Called at most once, instead of onEnd. */
  onAbort(error: Error | undefined): void;
}

/** The other end of a connection: the client, or the proxy in front of it. */
export interface Peer {
  /** IP address; empty if the connection is already closed. */
  readonly address: string;
  readonly port: number | undefined;
  /** Whether the connection uses TLS. */
  readonly isEncrypted: boolean;
  /** The client's verified certificate; undefined if it showed none. */
  readonly tlsClient: TlsClient | undefined;
}

/** A request and its response, whatever the HTTP version and the server that received it. */
export interface Exchange {
  readonly httpVersion: "1.0" | "1.1" | "2.0";
  readonly method: string;
  /** The request target in origin form, as received: a path and perhaps a query, or `*`. */
  readonly target: string;
  /** By their names in lower case. `host` has the authority over HTTP/2 too; no pseudo-headers. Not to be changed. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Whether a field came on several lines; the name is in lower case. */
  isRepeated(name: string): boolean;
  readonly peer: Peer;

  /** False if the head says that there is no body. */
  readonly hasBody: boolean;
  /** The complete body if it arrived with the head (a buffered request; empty for none), else undefined: then use receive(). */
  readonly body: Buffer | undefined;
  /** Hands over the body as it arrives, and what arrived before. Sends 100 (Continue) to a client that waits for it. Call it at most once. */
  receive(receiver: BodyReceiver): void;
  /** Acknowledges bytes of the body, so that the client may send as many more. */
  consume(bytes: number): void;
  /** How many bytes of the body have arrived. */
  readonly receivedBytes: number;
  /** Set it for a body that may pause without limit (a stream of messages): the body timeout then holds between its pieces. */
  isOpenEnded: boolean;

  /** Adds a header to the response, whichever response is sent; before it is sent. The name is in lower case. */
  addHeader(name: string, value: string): void;
  /**
   * Sends a complete response; does nothing once the client has gone or a response was sent. `content-length`, `date` and `connection` are added
   * where HTTP has them; over HTTP/2 not to a response with trailers, even if they are empty, which is that of an RPC. The body is not sent
   * for HEAD, 204 and 304. Trailers are sent over HTTP/2, and in chunks over HTTP/1.1.
   *
   * @throws TypeError for headers that cannot be sent, with nothing sent.
   */
  respond(status: number, headers: HttpHeaders, body?: string | Uint8Array, trailers?: HttpHeaders): void;
  /**
   * Sends a response whose body comes in pieces, each asked for once the client takes it; resolves when all is sent or the client has gone (then
   * the iteration is ended early). If the iteration throws, the response is cut off so that the client can tell, and the promise rejects with that error.
   *
   * @param trailers asked for when the body is sent.
   */
  stream(
    status: number,
    headers: HttpHeaders,
    body: AsyncIterable<string | Uint8Array>,
    trailers?: () => HttpHeaders | undefined,
  ): Promise<void>;
  /** Ends the exchange without (the rest of) a response: closes the connection of HTTP/1.1, resets the stream of HTTP/2. */
  abort(): void;
  /** Whether the head of a response was sent. */
  readonly hasResponded: boolean;
  /** Whether the response is complete or the client has gone. */
  readonly isOver: boolean;
  /** Calls back if the client goes away before the response is complete, at once if it has; returns the way to stop that. One at a time. */
  onGone(listener: () => void): () => void;
  /** Calls back once when the exchange is over: with the status of the complete response, or undefined if it was cut off or the client has gone. */
  onEnd(listener: (status: number | undefined) => void): void;
  /**
   * Grows while bytes of the request or response move. Undefined while the server waits for the client (to send its body or take the response), so
   * that only the server's own silence counts against its deadline.
   */
  readonly progress: number | undefined;
}

/** Why HTTP itself refuses a request, before any handler sees it. */
export type RefusalReason =
  | "HEADERS_TOO_LARGE" // 431
  | "HOST_MALFORMED" // 400: missing, malformed or more than one
  | "PATH_MALFORMED" // 400: the target is neither a path nor an http or https URL
  | "REQUEST_MALFORMED" // 400: not valid HTTP/1.1
  | "REQUEST_TIMEOUT" // 408: the request took too long to arrive
  | "METHOD_NOT_ALLOWED" // 405: CONNECT
  | "EXPECTATION_UNSUPPORTED" // 417
  | "OVERLOADED"; // 503: the bodies that are arriving take too much memory

/** What a server does with its requests. */
export interface ExchangeHandler {
  handle(exchange: Exchange): void;
  /**
   * Answers a request that HTTP itself refuses. Where only a broken connection is left (a parse error), `exchange` has an empty method and target
   * and no headers; its connection is closed after the response.
   */
  refuse(exchange: Exchange, reason: RefusalReason): void;
}
