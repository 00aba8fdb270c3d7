import type { ContextValues } from "@connectrpc/connect";

/** The request of a call as its context reads it, whatever the protocol and the runtime. */
export interface CallRequest {
  readonly method: string;
  /** The request target as the client sent it (RFC 9112 section 3.2), never decoded. */
  readonly target: string;
  /** The scheme and authority, such as `https://example.com`. */
  readonly origin: string;
  /** The values handed to interceptors and handlers. */
  readonly contextValues: ContextValues | undefined;
  /** The value of a header, of repeated ones the list of all; the name is in lower case. */
  header(name: string): string | undefined;
  /** All headers as they came, the names in lower case. */
  headerEntries(): Iterable<readonly [string, string]>;
  /** Calls back once when the client goes away before it has its response, at once if it already has; returns the way to stop that. */
  onAbort(listener: () => void): () => void;
}
