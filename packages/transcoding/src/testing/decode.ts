import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { DecodeOptions } from "../decode/decode-options.js";
import { createRequestDecoder } from "../decode/decode-request.js";
import { createTestRule, type TestRule } from "./test-rule.js";

/** A request as a test writes it. */
export interface TestRequest {
  readonly values?: readonly string[];
  readonly query?: string;
  readonly body?: string | Uint8Array;
  readonly contentType?: string;
}

/** What a test compares: the message, and the violations as lines such as `size: must be an integer`. */
export interface TestDecoded {
  readonly message: Message;
  readonly violations: readonly string[];
}

/** Reads a request by a rule. */
export function decodeRequest(rule: TestRule, request: TestRequest, options: DecodeOptions = {}): TestDecoded {
  const { values = [], query = "", body, contentType } = request;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const decoded = createRequestDecoder(createTestRule(rule), options).decode(values, query, bytes, contentType);
  return {
    message: decoded.message,
    violations: decoded.violations.map(({ field, description }) => `${field}: ${description}`),
  };
}

/** Reads a body that is the whole message. */
export function decodeBody(input: DescMessage, body: string, options: DecodeOptions = {}): TestDecoded {
  return decodeRequest({ input, body: "*" }, { body }, options);
}
