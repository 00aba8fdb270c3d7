import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { DecodeOptions } from "../decode/decode-options.js";
import { createRequestDecoder } from "../decode/decode-request.js";
import { createTestRule, type TestRule } from "./test-rule.js";

export interface TestRequest {
  readonly values?: readonly string[];
  readonly query?: string;
  readonly body?: string | Uint8Array;
  /** The headers, keyed by name in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A decoded request. The violations are lines such as `size: must be an integer`. */
export interface DecodedTestRequest {
  readonly message: Message;
  readonly violations: readonly string[];
}

/** Decodes a request for a rule, and formats each violation as a line. */
export function decodeRequest(rule: TestRule, request: TestRequest, options: DecodeOptions = {}): DecodedTestRequest {
  const { values = [], query = "", body, headers = {} } = request;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const decoder = createRequestDecoder(createTestRule(rule), options);
  const decoded = decoder.decode(values, query, bytes, { header: (name) => headers[name] });
  return {
    message: decoded.message,
    violations: decoded.violations.map(({ field, description }) => `${field}: ${description}`),
  };
}

/** Decodes a body that is the whole request message. */
export function decodeBody(input: DescMessage, body: string, options: DecodeOptions = {}): DecodedTestRequest {
  return decodeRequest({ input, body: "*" }, { body }, options);
}
