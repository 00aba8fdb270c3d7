import type { ContextValues } from "@connectrpc/connect";
import type { ContentCoding } from "./responses/content-coding.js";

/** A request as the transcoder reads it, whatever the runtime. Nothing of it is read before it is asked for. */
export interface TranscoderRequest {
  readonly method: string;
  /** The request target as the client sent it (RFC 9112 section 3.2), never decoded. */
  readonly target: string;
  /** The scheme and authority, such as `https://example.com`. */
  readonly origin: string;
  /** The values handed to interceptors and handlers. */
  readonly contextValues: ContextValues | undefined;
  /** The content codings that this runtime has, the preferred first. */
  readonly codings: readonly ContentCoding[];
  /** The value of a header, of repeated ones the list of all; the name is in lower case. */
  header(name: string): string | undefined;
  /** All headers as they came, the names in lower case. */
  headerEntries(): Iterable<readonly [string, string]>;
  /** False where it is certain that there is no body. */
  readonly hasBody: boolean;
  /** The body as it came; rejects with a `RequestError`, without reading the rest, where it has more than `maxBytes`. */
  readBytes(maxBytes: number): Promise<Uint8Array>;
  /** Calls back once when the client goes away before it has its response, at once if it already has; returns the way to stop that. */
  onAbort(listener: () => void): () => void;
}
