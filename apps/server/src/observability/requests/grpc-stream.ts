import type { IncomingHttpHeaders } from "node:http2";

/** A gRPC call as a stream of HTTP/2. */
export interface GrpcStream {
  /** The headers of the request. Not to be changed. */
  readonly headers: IncomingHttpHeaders;
  /** Whether the client has gone away, so that nothing more can be sent. */
  readonly isClosed: boolean;
  /** Hands over the body as it arrives, and what arrived before. */
  receive(receiver: GrpcReceiver): void;
  /** Acknowledges bytes of the body, so that the client may send as many more. */
  consume(bytes: number): void;
  /**
   * Sends a complete response: headers, body and trailers. Names and values in turn; frozen lists are encoded once.
   *
   * @param ownHeaders follow the headers: those of this response alone.
   */
  answer(
    headers: readonly string[],
    body: Uint8Array,
    trailers: readonly string[],
    ownHeaders?: readonly string[],
  ): void;
  /** Sends headers that are the complete response. */
  sendHeaders(headers: readonly string[], endStream: true): void;
  /** Resets the stream with a code of RFC 9113 section 7. */
  reset(code: number): void;
}

/** Receives the body of a stream. */
export interface GrpcReceiver {
  onData(chunk: Buffer): void;
  /** The body is complete. */
  onEnd(): void;
  /** The stream is over: the response is sent, or the client has gone away. Called last. */
  onClose(): void;
}
