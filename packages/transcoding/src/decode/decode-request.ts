import { create, type Message } from "@bufbuild/protobuf";
import type { FieldViolation } from "../http/request-error.js";
import type { HttpRule } from "../rules/http-rule.js";
import { toLocalMessage } from "../values/local-message.js";
import { createBodyDecoder } from "./decode-body.js";
import { createHeaderDecoder, type RequestHeaders } from "./decode-headers.js";
import { getPathDecoders } from "./decode-message.js";
import type { DecodeOptions } from "./decode-options.js";
import { createPathDecoder } from "./decode-path.js";
import { createQueryDecoder } from "./decode-query.js";
import { DecodeState } from "./decode-state.js";

/** The result of reading a request. */
export interface DecodedRequest {
  /** The request message; fields with a violation are unset. */
  readonly message: Message;
  /** The violations of the path, the query and the body, at most 100; empty for a valid request. */
  readonly violations: readonly FieldViolation[];
}

/** Reads the requests of one rule into messages. */
export interface RequestDecoder {
  /** How the body is read: `none` ignores it, `json` is JSON in UTF-8, `raw` goes into a `google.api.HttpBody`. */
  readonly body: "none" | "json" | "raw";
  /**
   * Reads a request.
   *
   * @param values the decoded values of the template's variables, in their order.
   * @param query the raw text after `?`; empty if there is none.
   * @param body the bytes without their content coding; an empty body counts as `{}`.
   * @throws RequestError `BODY_MALFORMED` if the body is not JSON in UTF-8 (RFC 8259) or, for `body: "*"`, not an object.
   */
  decode(
    values: readonly string[],
    query: string,
    body: Uint8Array | undefined,
    headers?: RequestHeaders,
  ): DecodedRequest;
}

/** Creates the decoder of a rule. It inspects the message descriptors here, once, and not for each request. */
export function createRequestDecoder(rule: HttpRule, options: DecodeOptions = {}): RequestDecoder {
  const { input } = rule.rpc;
  const decodePath = createPathDecoder(rule, options);
  const decodeQuery = createQueryDecoder(rule, options);
  const decodeHeaders = createHeaderDecoder(rule, options);
  const body = createBodyDecoder(rule, getPathDecoders(options));
  const refuseNull = rule.response?.refuseNull === true;
  const refuseNul = options.refuseNul === true;
  const updateExample = rule.response?.updateExample || undefined;
  return {
    body: body.kind,
    decode: (values, query, bytes = NO_BYTES, headers = NO_HEADERS) => {
      const request = create(input);
      const message = toLocalMessage(request);
      const state = new DecodeState(refuseNull, refuseNul, updateExample);
      decodePath(values, message, state);
      decodeQuery(query, message, state);
      decodeHeaders(headers, message, state);
      body.decode(bytes, headers, message, state);
      return { message: request, violations: state.violations };
    },
  };
}

const NO_BYTES = new Uint8Array();
const NO_HEADERS: RequestHeaders = { header: () => undefined };
