import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FieldCheck } from "./field-check.js";
import { type PageRequest, parsePagination } from "./pagination.js";
import { int32 } from "./testing/broken-request.js";

describe("parsePagination", () => {
  test.each<[name: string, request: Parameters<typeof parsePagination>[1], page: PageRequest]>([
    ["nothing: all, from the start", {}, { size: undefined, token: undefined }],
    ["the smallest size", { pageSize: 1 }, { size: 1, token: undefined }],
    ["the largest size", { pageSize: 1000 }, { size: 1000, token: undefined }],
    ["more is taken as the largest", { pageSize: 1001 }, { size: 1000, token: undefined }],
    ["as much as there can be", { pageSize: 2 ** 31 - 1 }, { size: 1000, token: undefined }],
    ["a token without a size: the rest", { pageToken: "abc" }, { size: undefined, token: "abc" }],
    ["an empty token is none", { pageSize: 5, pageToken: "" }, { size: 5, token: undefined }],
    ["a token is kept as it is", { pageToken: " \0x" }, { size: undefined, token: " \0x" }],
  ])("%s", (_, request, page) => {
    const check = new FieldCheck();
    expect(parsePagination(check, request)).toEqual(page);
    expect(check.violations).toEqual([]);
  });

  test.each([0, -1, -(2 ** 31)])("rejects a size of %i", (pageSize) => {
    const check = new FieldCheck();
    parsePagination(check, { pageSize });
    expect(check.violations).toEqual([{ field: "page_size", description: "must be at least 1" }]);
  });

  test("returns a size between 1 and 1000, at most the requested one, or rejects it", () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: -2, max: 1002 }), int32), (pageSize) => {
        const check = new FieldCheck();
        const { size } = parsePagination(check, { pageSize });
        expect(check.violations.length).toBe(pageSize < 1 ? 1 : 0);
        if (pageSize >= 1) expect(size).toBe(Math.min(pageSize, 1000));
      }),
    );
  });
});
