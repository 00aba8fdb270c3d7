import type { CallRequest } from "./calls/call-request.js";
import type { ContentCoding } from "./responses/content-coding.js";

/** A request as the transcoder reads it, whatever the runtime. Nothing of it is read before it is asked for. */
export interface TranscoderRequest extends CallRequest {
  /** The content codings that this runtime has, the preferred first. */
  readonly codings: readonly ContentCoding[];
  /** Whether a header came on several lines; the name is in lower case. Absent where the runtime joins the lines. */
  isRepeated?(name: string): boolean;
  /** False where it is certain that there is no body. */
  readonly hasBody: boolean;
  /** The body as it came; rejects with a `RequestError`, without reading the rest, where it has more than `maxBytes`. */
  readBytes(maxBytes: number): Promise<Uint8Array>;
  /** The body as it comes, read when it is asked for. Throws where the client goes away; returning early leaves the rest. */
  readChunks(): AsyncIterable<Uint8Array>;
}
