import { describe, expect, test } from "vitest";
import { formatCell } from "./table-cell.js";

describe("formats a cell", () => {
  test.each([
    ["size", 10, "10"],
    ["is_dni", false, "false"],
    ["utilization", null, "-"],
    ["created_at", "2026-11-20T21:01:15.933Z", "2026-11-20 21:01:15Z"],
    ["created_at", "2026-11-20T21:01:15Z", "2026-11-20 21:01:15Z"],
    ["held_until", "2026-11-20T21:01:15.933Z", "2026-11-20 21:01:15Z"],
    ["sources", [{ visits: 7 }], '[{"visits":7}]'],
    ["description", "two\nlines\tand \u001b[31mred", "two\\nlines\\tand \\u001b[31mred"],
    ["description", "left\u202eright", "left\\u202eright"],
  ])("%s %j as %j", (column, cell, text) => {
    expect(formatCell(column, cell)).toBe(text);
  });
});
