import type { ContextValues } from "@connectrpc/connect";
import type { ContentCoding } from "./content-coding.js";

/** A request, independent of protocol and server. Implement it to use a transcoder or an RPC handler on another server. */
export interface HttpRequest {
  readonly httpVersion: "1.0" | "1.1" | "2.0";
  readonly method: string;
  /** The raw request target (RFC 9112 section 3.2), not decoded. */
  readonly target: string;
  /** The scheme and authority, such as `https://example.com`. */
  readonly origin: string;
  /** Context values for interceptors and handlers. Default: a new set for each RPC. */
  readonly contextValues: ContextValues | undefined;
  /** Content codings of the server, the preferred one first. All requests of a server share the list. */
  readonly codings: readonly ContentCoding[];
  /** Returns the value of a header; repeated headers are joined with commas. The name is in lower case. */
  header(name: string): string | undefined;
  /** All headers as received, with names in lower case. Over HTTP/2, `host` contains the authority. */
  headerEntries(): Iterable<readonly [string, string]>;
  /** Reports whether the request has several lines of a header. The name is in lower case. */
  isRepeated(name: string): boolean;
  /** False if the headers rule out a body. */
  readonly hasBody: boolean;
  /**
   * Passes the body to a receiver as it arrives, including bytes that have already arrived. Call it at most once.
   *
   * @throws ConnectError if other code in the server has already read the body.
   */
  receive(receiver: BodyReceiver): void;
  /** Acknowledges bytes of the body, so that the client can send as many more. */
  consume(bytes: number): void;
  /**
   * Calls the listener if the client disconnects before the response is complete, immediately if it already has. Returns a function that
   * removes the listener. Only one listener at a time is allowed.
   */
  onGone(listener: () => void): () => void;
}

export type RequestHeaders = Pick<HttpRequest, "header"> & Partial<Pick<HttpRequest, "isRepeated">>;

export interface BodyReceiver {
  /** Called with the next bytes. Acknowledge them with {@link HttpRequest.consume}, so that the client can send more. */
  onData(chunk: Uint8Array): void;
  onEnd(): void;
  /** Called instead of `onEnd` if the client disconnects, or if the server rejects the rest of the body with `error`. */
  onAbort(error: Error | undefined): void;
}
