import { expect, test } from "vitest";
import { DomainError } from "./domain-error.js";
import { FieldCheck } from "./field-check.js";

function violationsOf(count: number): readonly { readonly field: string; readonly description: string }[] {
  const check = new FieldCheck();
  for (let index = 0; index < count; index++) check.report(`visits[${index}].source`, "is required");
  try {
    check.done({});
  } catch (error) {
    if (error instanceof DomainError && error.is("FIELD_INVALID")) return error.facts.violations;
  }
  return [];
}

test("reports every violation", () => {
  expect(violationsOf(0)).toEqual([]);
  expect(violationsOf(2).map(({ field }) => field)).toEqual(["visits[0].source", "visits[1].source"]);
  expect(violationsOf(101)).toHaveLength(101);
});

test("truncates violations that exceed the headers of a gRPC response", () => {
  const violations = violationsOf(5000);
  expect(violations).toHaveLength(101);
  expect(violations[99]).toEqual({ field: "visits[99].source", description: "is required" });
  expect(violations[100]).toEqual({
    field: "visits[100].source",
    description: "is required, and 4899 more violations",
  });
});
