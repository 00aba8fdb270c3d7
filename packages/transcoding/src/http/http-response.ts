/** Header fields by their names in lower case; a list is sent as one field line each. A frozen object may be encoded once and kept. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Header fields that are still being collected. */
export type MutableHeaders = Record<string, string | string[]>;

/** A response of a transcoder or an RPC handler, independent of protocol and server. */
export interface HttpResponse {
  readonly status: number;
  /** The headers, without `content-length` and `date`, which the server adds. May be a frozen object shared by many responses. */
  readonly headers: HttpHeaders;
  /** Further headers, of this response alone. */
  readonly ownHeaders?: HttpHeaders | undefined;
  /**
   * Undefined for no body: with headers only, the response of a gRPC call is Trailers-Only. Chunks of a stream are sent as they come,
   * waiting for the client; a client that goes away ends the iteration.
   */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined;
  /** Returns the trailers, called once the body is sent. May return a frozen object shared by many responses. Undefined for none. */
  readonly trailers: (() => HttpHeaders) | undefined;
  /** False if no path of the handler matches, so that another handler may serve the request. */
  readonly matched: boolean;
}

/** A response whose headers may still be changed. */
export interface MutableResponse extends HttpResponse {
  readonly headers: MutableHeaders;
  readonly trailers: (() => MutableHeaders) | undefined;
}
