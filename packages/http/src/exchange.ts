import type { IncomingHttpHeaders } from "node:http";
import type { TlsClient } from "./tls/tls-clients.js";

/** Header fields by name in lower case. A list is sent as one field line per value. The encoding of a frozen object may be cached. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Receives the body of a request. */
export interface BodyReceiver {
  /** The next bytes. Report them to {@link Exchange.consume} once they are processed, so that the client may send more. */
  onData(chunk: Buffer): void;
  /** The body is complete. */
  onEnd(): void;
  /**
   * The rest of the body will not arrive. Called at most once, instead of onEnd.
   *
   * @param error the reason why the server refused the rest; undefined if the client disconnected.
   */
  onAbort(error: Error | undefined): void;
}

/** The other end of a connection: the client, or the proxy in front of it. */
export interface Peer {
  /** IP address; empty if the connection is already closed. */
  readonly address: string;
  readonly port: number | undefined;
  /** Whether the connection uses TLS. */
  readonly isEncrypted: boolean;
  /** The client identified by its verified certificate; undefined if it presented none. */
  readonly tlsClient: TlsClient | undefined;
}

/** A request and its response. The interface is the same for all HTTP versions and server implementations. */
export interface Exchange {
  readonly httpVersion: "1.0" | "1.1" | "2.0";
  readonly method: string;
  /** The request target in origin form, as received: a path with an optional query, or `*`. */
  readonly target: string;
  /** Header fields by name in lower case, without pseudo-headers. Over HTTP/2, `host` is the authority. Do not modify. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Whether a field was received on several lines. `name` must be in lower case. */
  isRepeated(name: string): boolean;
  readonly peer: Peer;

  /** False if the request headers rule out a body. */
  readonly hasBody: boolean;
  /** The complete body of a buffered request (empty if it has none). Undefined for a streamed request: use receive(). */
  readonly body: Buffer | undefined;
  /** Passes the body to the receiver, including bytes received so far. Sends 100 (Continue) if the client expects it. Call at most once. */
  receive(receiver: BodyReceiver): void;
  /** Reports bytes of the body as processed, so that the client may send as many more. */
  consume(bytes: number): void;
  /** Number of bytes of the body received so far. */
  readonly receivedBytes: number;
  /** Set it for a stream of messages, which may take any time in total: the body timeout then applies to each pause between its pieces. */
  isOpenEnded: boolean;

  /** Adds a header to any response that is sent later. `name` must be in lower case. */
  addHeader(name: string, value: string): void;
  /**
   * Sends a complete response. Does nothing if the client disconnected or a response was sent.
   *
   * Adds `content-length`, `date` and `connection` where HTTP requires them. Over HTTP/2, responses with trailers (even empty ones) are RPC
   * responses and get none of them. The body is omitted for HEAD, 204 and 304. Over HTTP/1.1, trailers require chunked encoding.
   *
   * @throws TypeError if a header value has forbidden characters. Nothing is sent then.
   */
  respond(status: number, headers: HttpHeaders, body?: string | Uint8Array, trailers?: HttpHeaders): void;
  /**
   * Sends a response and streams its body. Requests each piece when the client is ready for it.
   *
   * Resolves when the response is sent, or when the client disconnects, which ends the iteration early. If the iteration throws, the
   * response is cut off in a way that the client can detect, and the promise rejects with that error.
   *
   * @param trailers called when the whole body is sent.
   */
  stream(
    status: number,
    headers: HttpHeaders,
    body: AsyncIterable<string | Uint8Array>,
    trailers?: () => HttpHeaders | undefined,
  ): Promise<void>;
  /** Ends the exchange without completing the response. Closes the connection over HTTP/1.1; resets the stream over HTTP/2. */
  abort(): void;
  /** Whether the response headers were sent. */
  readonly hasResponded: boolean;
  /** Whether the response is complete or the client disconnected. */
  readonly isOver: boolean;
  /**
   * Calls the listener if the client disconnects before the response is complete; immediately if it already did. Replaces the previous
   * listener.
   *
   * @returns a function that removes the listener.
   */
  onGone(listener: () => void): () => void;
  /** Calls the listener once when the exchange is over. The status is undefined if the response was cut off or the client disconnected. */
  onEnd(listener: (status: number | undefined) => void): void;
  /** Calls the listener with the exceptions of the body receiver and of other listeners, which would end the process otherwise. */
  onError(listener: (error: unknown) => void): void;
  /**
   * A number that changes when bytes of the request or response are transferred. Undefined while the server waits for the client to send or
   * read, so that slow clients do not count against the server's deadline.
   */
  readonly progress: number | undefined;
}

/** Reasons for which the server refuses a request, with the usual status of the response. */
export type RefusalReason =
  | "HEADERS_TOO_LARGE" // 431
  | "HOST_MALFORMED" // 400: the host is missing, malformed or repeated
  | "PATH_MALFORMED" // 400: the target is neither a path nor an http or https URL
  | "REQUEST_MALFORMED" // 400: not valid HTTP/1.1
  | "REQUEST_TIMEOUT" // 408: the request took too long to arrive
  | "METHOD_NOT_ALLOWED" // 405: CONNECT
  | "EXPECTATION_UNSUPPORTED" // 417
  | "OVERLOADED"; // 503: buffered request bodies exceed their memory limit

/** Handles the requests of a server. */
export interface ExchangeHandler {
  handle(exchange: Exchange): void;
  /**
   * Responds to a request that the server refuses. After a parse error, `exchange` has an empty method and target and no headers, and the
   * connection is closed after the response.
   */
  refuse(exchange: Exchange, reason: RefusalReason): void;
}
