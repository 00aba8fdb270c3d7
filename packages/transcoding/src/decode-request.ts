import type { Message } from "@bufbuild/protobuf";
import type { DecodeOptions } from "./decode-options.js";
import type { HttpRule } from "./http-rule.js";
import type { FieldViolation } from "./request-error.js";

/** What a request holds. */
export interface DecodedRequest {
  /** The request message; fields with a violation are unset. */
  readonly message: Message;
  /** Everything that is wrong with the path, the query and the body, at most 100; empty for a good request. */
  readonly violations: readonly FieldViolation[];
}

/** Reads the requests of one rule into messages. */
export interface RequestDecoder {
  /** What the body has to be: `none` is never looked at, `json` is JSON in UTF-8, `raw` goes into a `google.api.HttpBody`. */
  readonly body: "none" | "json" | "raw";
  /**
   * Reads a request. `values` are the decoded values of the template's variables in their order, `query` is the raw text
   * after `?`, empty where there is none, and `body` the bytes without their content coding; no bytes count as `{}`.
   * `contentType` is only read for a raw body. Throws a `RequestError` with reason `BODY_MALFORMED` where the body is not
   * a JSON text in UTF-8 (RFC 8259) or, for `body: "*"`, not an object.
   */
  decode(values: readonly string[], query: string, body: Uint8Array | undefined, contentType?: string): DecodedRequest;
}

/** Creates the decoder of a rule. All that can be known of its messages is looked up here, once. */
export function createRequestDecoder(_rule: HttpRule, _options: DecodeOptions = {}): RequestDecoder {
  throw new Error("not implemented");
}
