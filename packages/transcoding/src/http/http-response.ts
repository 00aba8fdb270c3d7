/** Header fields by name in lower case. A list is sent as several lines. Servers may cache the encoding of a frozen object. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[]>>;

export type MutableHeaders = Record<string, string | string[]>;

/** A response of a transcoder or an RPC handler, independent of protocol and server. */
export interface HttpResponse {
  readonly status: number;
  /** The headers, without `content-length` and `date`, which the server adds. Can be a frozen object shared by many responses. */
  readonly headers: HttpHeaders;
  /** Additional headers, which no other response shares. */
  readonly ownHeaders?: HttpHeaders | undefined;
  /**
   * The body. Undefined for none, which makes a gRPC response Trailers-Only. Chunks of a stream are sent as they are produced, with
   * backpressure from the client. The iteration ends early if the client disconnects.
   */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined;
  /** Returns the trailers after the body has been sent, possibly as a frozen object shared by many responses. Undefined for none. */
  readonly trailers: (() => HttpHeaders) | undefined;
}

export interface MutableResponse extends HttpResponse {
  readonly headers: MutableHeaders;
  readonly trailers: (() => MutableHeaders) | undefined;
}
