import { describe, expect, test } from "vitest";
import { describeUnknownName } from "./unknown-name.js";

describe("rule 11: the description of an unknown name", () => {
  const names = ["area_code", "size", "utilization"];
  const ALL = "area_code, size, utilization";
  test.each([
    ["utilisation", `is an unknown field; did you mean utilization? The fields are: ${ALL}`],
    ["utilizaton", `is an unknown field; did you mean utilization? The fields are: ${ALL}`],
    ["areacode", `is an unknown field; did you mean area_code? The fields are: ${ALL}`],
    ["sise", `is an unknown field; did you mean size? The fields are: ${ALL}`],
    ["sixty", `is an unknown field; the fields are: ${ALL}`],
    ["is", `is an unknown field; the fields are: ${ALL}`],
    ["", `is an unknown field; the fields are: ${ALL}`],
    ["x".repeat(100_000), `is an unknown field; the fields are: ${ALL}`],
  ])("suggests names similar to %s", (name, description) => {
    expect(describeUnknownName("field", name, names)).toBe(description);
  });

  test("shortens a long list of names, and says if there are none", () => {
    const many = Array.from({ length: 32 }, (_, index) => `f${index}`);
    expect(describeUnknownName("field", "", many)).toMatch(/f29 and 2 more$/);
    expect(describeUnknownName("field", "a", [])).toBe(
      "is an unknown field: remove it, because no fields are accepted here",
    );
  });

  test("shows an example body of an update", () => {
    const names = ["area_code", "size"];
    expect(describeUnknownName("field", "original_number", names, '{"size": 20}')).toBe(
      'cannot be changed; the fields that can change are: area_code, size, as in {"size": 20}',
    );
    expect(describeUnknownName("field", "sise", names, '{"size": 20}')).toBe(
      'is an unknown field; did you mean size? The fields that can change are: area_code, size, as in {"size": 20}',
    );
  });
});
