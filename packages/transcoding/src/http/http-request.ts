import type { ContextValues } from "@connectrpc/connect";
import type { ContentCoding } from "./content-coding.js";

/** A request as a transcoder and an RPC handler read it, whatever the protocol and the server. To bind another server, implement this. */
export interface HttpRequest {
  readonly httpVersion: "1.0" | "1.1" | "2.0";
  readonly method: string;
  /** The request target as the client sent it (RFC 9112 section 3.2), never decoded. */
  readonly target: string;
  /** The scheme and authority, such as `https://example.com`. */
  readonly origin: string;
  /** The values handed to interceptors and handlers. Default: a new set for each call. */
  readonly contextValues: ContextValues | undefined;
  /** The content codings of this server, the preferred first. The same list for all requests. */
  readonly codings: readonly ContentCoding[];
  /** The value of a header, of repeated ones the list of all; the name is in lower case. */
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
  /** Calls back if the client goes away before the response is complete, at once if it has; returns the way to stop that. One at a time. */
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
