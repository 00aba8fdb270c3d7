import { expect, test } from "vitest";
import { FieldCheck } from "./field-check.js";
import { violationsOf } from "./testing/broken-request.js";

function report(count: number) {
  const check = new FieldCheck();
  for (let index = 0; index < count; index++) check.report(`visits[${index}].source`, "is required");
  return violationsOf(() => check.done({}));
}

test("reports every violation", () => {
  expect(report(0)).toEqual([]);
  expect(report(2).map(({ field }) => field)).toEqual(["visits[0].source", "visits[1].source"]);
  expect(report(101)).toHaveLength(101);
});

test("truncates violations that exceed the headers of a gRPC response", () => {
  const violations = report(5000);
  expect(violations).toHaveLength(101);
  expect(violations[99]).toEqual({ field: "visits[99].source", description: "is required" });
  expect(violations[100]).toEqual({
    field: "visits[100].source",
    description: "is required, and 4899 more violations",
  });
});
