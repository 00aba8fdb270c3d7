import type { ContextValues } from "@connectrpc/connect";
import type { ContentCoding } from "./content-coding.js";

/** An HTTP request, independent of HTTP version and server. Implement this interface to serve transcoders and RPC handlers on another server. */
export interface HttpRequest {
  readonly httpVersion: "1.0" | "1.1" | "2.0";
  readonly method: string;
  /** The request target as the client sent it, not decoded (RFC 9112 section 3.2). */
  readonly target: string;
  /** The scheme and authority, such as `https://example.com`. */
  readonly origin: string;
  /** Context values for interceptors and handlers. If undefined, each RPC gets a new set. */
  readonly contextValues: ContextValues | undefined;
  /** The content codings that the server supports, the preferred one first. All requests of a server share the list. */
  readonly codings: readonly ContentCoding[];
  /** Returns the value of a header whose name is given in lower case. Joins the values of a repeated header with commas. */
  header(name: string): string | undefined;
  /** Returns all headers as received, with names in lower case. Over HTTP/2, `host` contains the authority. */
  headerEntries(): Iterable<readonly [string, string]>;
  /** Reports whether the request has several lines of a header whose name is given in lower case. */
  isRepeated(name: string): boolean;
  /** False if the request's headers rule out a body. */
  readonly hasBody: boolean;
  /**
   * Passes the body to a receiver while it arrives, including bytes that have already arrived. Call this method at most once.
   *
   * @throws ConnectError if other code in the server has already read the body.
   */
  receive(receiver: BodyReceiver): void;
  /** Acknowledges that this many bytes of the body were processed, so that the client can send as many more. */
  consume(bytes: number): void;
  /**
   * Calls the listener if the client disconnects before the response is complete, or immediately if the client has already disconnected. Returns
   * a function that removes the listener. A request can have only one listener at a time.
   */
  onGone(listener: () => void): () => void;
}

export type RequestHeaders = Pick<HttpRequest, "header"> & Partial<Pick<HttpRequest, "isRepeated">>;

export interface BodyReceiver {
  /** Called with the next bytes of the body. Acknowledge them with {@link HttpRequest.consume}, so that the client can send more. */
  onData(chunk: Uint8Array): void;
  onEnd(): void;
  /** Called instead of `onEnd` if the client disconnects, or if the server rejects the rest of the body with `error`. */
  onAbort(error: Error | undefined): void;
}
