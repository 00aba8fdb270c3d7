/** Header fields by lower-case name; a list is sent as one field line each. */
export type ResponseHeaders = Record<string, string | string[]>;

/** A response as the transcoder gives it, whatever the runtime. The runtime adds `content-length`. */
export interface TranscoderResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Undefined for no body. Chunks of a stream are written as they come, waiting for the client; a client that goes away ends the iteration. */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined;
  /** The trailers to send, asked for when the body has been sent; undefined where the client did not ask for any. */
  readonly trailers: (() => ResponseHeaders) | undefined;
  /** False where no rule's path matches, so that another handler may take the request. */
  readonly matched: boolean;
}
