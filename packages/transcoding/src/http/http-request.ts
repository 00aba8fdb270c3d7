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
  /** The values handed to interceptors and handlers. Default: a new set for each call. */
  readonly contextValues: ContextValues | undefined;
  /** The content codings of this server, the preferred first. The same list for all requests. */
  readonly codings: readonly ContentCoding[];
  /** Returns the value of a header; repeated headers are joined with commas. The name is in lower case. */
  header(name: string): string | undefined;
  /** All headers as received, the names in lower case; `host` has the authority over HTTP/2 too. */
  headerEntries(): Iterable<readonly [string, string]>;
  /** Whether a header came on several lines; the name is in lower case. Absent if the server joins the lines. */
  isRepeated?(name: string): boolean;
  /** False if the head says that there is no body. */
  readonly hasBody: boolean;
  /** The complete body if it has arrived, else undefined: then use {@link receive}. */
  readonly body: Uint8Array | undefined;
  /**
   * Hands over the body as it arrives, and what arrived before. Called at most once.
   *
   * @throws ConnectError if something else in the server has read the body.
   */
  receive(receiver: BodyReceiver): void;
  /** Acknowledges bytes of the body, so that the client may send as many more. */
  consume(bytes: number): void;
  /**
   * Calls the listener if the client disconnects before the response is complete, at once if it already has. Returns a function
   * that removes the listener. One listener at a time.
   */
  onGone(listener: () => void): () => void;
}

/** Receives the body of a request. */
export interface BodyReceiver {
  /** The next bytes; the client may send more once they are given to {@link HttpRequest.consume}. */
  onData(chunk: Uint8Array): void;
  /** The body is complete. */
  onEnd(): void;
  /** The rest of the body will not arrive: the client disconnected, or the server refused the rest with `error`. Called instead of onEnd. */
  onAbort(error: Error | undefined): void;
}
