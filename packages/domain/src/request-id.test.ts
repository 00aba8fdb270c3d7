import { expect, test } from "vitest";
import { FieldCheck } from "./field-check.js";
import { findSecretRequestIdProblem, parseRequestId } from "./request-id.js";
import { violationsOf } from "./testing/broken-request.js";

const V4 = "5b0f8a52-3c1d-4e9a-9f57-2d6c1e8b7a40";

function parse(requestId: string | undefined, rule?: (text: string) => string | undefined): string | undefined {
  const check = new FieldCheck();
  return check.done(parseRequestId(check, { requestId }, rule));
}

test.each([
  [undefined, undefined],
  ["order 7", "order 7"],
  ['"order 7"', "order 7"],
  [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
  ['"a', '"a'],
  ['"a";b=1', '"a";b=1'],
  [String.raw`"a\b"`, String.raw`"a\b"`],
  ['"', '"'],
  ["~".repeat(255), "~".repeat(255)],
  [`"${"~".repeat(255)}"`, "~".repeat(255)],
])("parses %j as the request id %j", (text, requestId) => {
  expect(parse(text)).toBe(requestId);
});

test.each(["", '""', "a".repeat(256), "é", "a\n", "\0"])("rejects the request id %j", (text) => {
  expect(violationsOf(() => parse(text))).toEqual([
    { field: "request_id", description: expect.stringContaining("1 to 255 printable ASCII characters") },
  ]);
});

test.each([V4, V4.toUpperCase(), `"${V4}"`, "019aa34f-5c1d-7e52-8c3a-0b1d5f6a7c8e"])(
  "accepts %s for a response with a secret",
  (text) => {
    expect(parse(text, findSecretRequestIdProblem)).toBe(text.replaceAll('"', ""));
  },
);

test.each(["order 7", "00000000-0000-0000-0000-000000000000", "5b0f8a52-3c1d-1e9a-9f57-2d6c1e8b7a40"])(
  "%s does not keep a secret",
  (text) => {
    expect(violationsOf(() => parse(text, findSecretRequestIdProblem))).toMatchObject([{ field: "request_id" }]);
  },
);
