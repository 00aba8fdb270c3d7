import { expect, test } from "vitest";
import { Code } from "../gen/google/rpc/code_pb.js";
import { buildService, httpGet, type TestRpc } from "../testing/build-service.js";
import { findHttpResponseOption } from "./http-response-option.js";
import { readHttpRules } from "./read-http-rules.js";

const GONE = { code: Code.NOT_FOUND, reason: "GONE", description: "there is none", status: 410 };

function failuresOf(failures: NonNullable<TestRpc["response"]>["failures"], shared: readonly (typeof GONE)[] = []) {
  const service = buildService("Library", { Get: { response: { failures: failures ?? [] } } }, shared);
  return findHttpResponseOption(service.method.get as never)?.failures;
}

test("replaces a failure that has only a reason with the shared failure", () => {
  expect(failuresOf([{ reason: "GONE" }], [GONE])).toEqual([expect.objectContaining(GONE)]);
});

test("keeps a method's own failures unchanged and in order", () => {
  const own = { code: Code.ABORTED, reason: "GONE", description: "it was just deleted" };
  const other = { code: Code.ABORTED, reason: "OTHER", description: "" };
  expect(failuresOf([other, { reason: "GONE" }], [GONE])).toMatchObject([other, GONE]);
  expect(failuresOf([own], [GONE])).toMatchObject([own]);
});

test("rejects a reason without a shared failure", () => {
  const response = { failures: [{ reason: "GONE" }] };
  const service = buildService("Library", { Get: { http: httpGet("/v1/{name}"), response } });
  expect(() => readHttpRules([service])).toThrow('failure "GONE" has no error code');
});

test("returns undefined for a method without the option", () => {
  expect(findHttpResponseOption(buildService("Library", { Get: {} }).method.get as never)).toBeUndefined();
});
