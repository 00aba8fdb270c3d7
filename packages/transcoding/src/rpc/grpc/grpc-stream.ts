import type { IncomingHttpHeaders } from "node:http2";

/** The stream of HTTP/2 that a call comes on, whatever server it is of. */
export interface GrpcStream {
  /** The headers of the request; they are not changed. */
  readonly headers: IncomingHttpHeaders;
  /** Whether nothing can be sent any more, as the client has gone away. */
  readonly isClosed: boolean;
  /** Hands over what comes in, and what has come in before. */
  receive(receiver: GrpcReceiver): void;
  /** Takes note that bytes of the body were taken, so that the client may send as many more. */
  consume(bytes: number): void;
  /**
   * Sends a whole response: headers, body and trailers. Names and values in turn; lists that are frozen are the same each time.
   *
   * @param ownHeaders follow the headers: those that no other response has.
   */
  answer(
    headers: readonly string[],
    body: Uint8Array,
    trailers: readonly string[],
    ownHeaders?: readonly string[],
  ): void;
  /** Sends headers that are the whole response. */
  sendHeaders(headers: readonly string[], endStream: true): void;
  /** Resets the stream with a code of RFC 9113 section 7. */
  reset(code: number): void;
}

/** Takes what comes in on a stream. */
export interface GrpcReceiver {
  /** The next bytes of the body. */
  onData(chunk: Buffer): void;
  /** The body is whole. */
  onEnd(): void;
  /** The stream is over: the response is sent, or the client has gone away. Nothing comes after it. */
  onClose(): void;
}
