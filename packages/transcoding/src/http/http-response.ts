/**
 * Header fields, keyed by name in lower case. A list is sent as several lines of the field. Servers may cache the encoded form of a frozen object.
 */
export type HttpHeaders = Readonly<Record<string, string | readonly string[]>>;

export type MutableHeaders = Record<string, string | string[]>;

/** An HTTP response from a transcoder or an RPC handler, independent of HTTP version and server. */
export interface HttpResponse {
  readonly status: number;
  /** The headers except `content-length` and `date`, which the server adds. Many responses may share one frozen object. */
  readonly headers: HttpHeaders;
  /** Headers of this response alone, in addition to `headers`. */
  readonly ownHeaders?: HttpHeaders | undefined;
  /**
   * Undefined if the response has no body; a gRPC response is then Trailers-Only. The server sends each chunk of an iterable when the client is
   * ready for it, and ends the iteration early if the client disconnects.
   */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined;
  /** Returns the trailers. Called after the body has been sent. Many responses may share one frozen object. Undefined if there are no trailers. */
  readonly trailers: (() => HttpHeaders) | undefined;
}

export interface MutableResponse extends HttpResponse {
  readonly headers: MutableHeaders;
  readonly trailers: (() => MutableHeaders) | undefined;
}
