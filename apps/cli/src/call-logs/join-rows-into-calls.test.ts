import { expect, test } from "vitest";
import type { ImportRow } from "../import/import-row.js";
import type { CallLeg } from "./call-leg.js";
import { joinRowsIntoCalls } from "./join-rows-into-calls.js";

/** Joins rows into calls, and returns the line numbers of each call. Each character of a row is one key. */
async function linesOf(rows: readonly string[], windowRows: number): Promise<number[][]> {
  const groups: number[][] = [];
  const content = { kind: "fields", fields: {} } as const;
  async function* read(): AsyncGenerator<ImportRow> {
    for (const [index] of rows.entries()) yield { line: index + 1, endByte: index, content, toReject: String };
  }
  const legOf = (row: ImportRow) => ({ row, keys: [...(rows[row.line - 1] ?? "")] }) as unknown as CallLeg;
  for await (const group of joinRowsIntoCalls(read(), legOf, () => content, windowRows))
    groups.push(group.rows.map(({ line }) => line));
  return groups;
}

test("reads each row of a call only a few times, even if the call has many rows", async () => {
  const count = 3000;
  let reads = 0;
  const content = { kind: "fields", fields: {} } as const;
  async function* read(): AsyncGenerator<ImportRow> {
    for (let line = 1; line <= count; line += 1) yield { line, endByte: line, content, toReject: String };
  }
  const legOf = (row: ImportRow): CallLeg => {
    const keys = ["call", `row ${row.line}`];
    const countRead = () => {
      reads += 1;
      return keys;
    };
    return Object.defineProperty({ row } as CallLeg, "keys", { get: countRead });
  };
  for await (const { rows } of joinRowsIntoCalls(read(), legOf, () => content)) expect(rows).toHaveLength(count);
  expect(reads).toBeLessThanOrEqual(10 * count);
});

test.each([
  [
    "interleaved rows",
    ["a", "b", "a", "b"],
    10,
    [
      [1, 3],
      [2, 4],
    ],
  ],
  ["rows that a later row links", ["a", "b", "ab", "c"], 10, [[1, 2, 3], [4]]],
  ["no rows without an id", ["", "a", "", "a"], 10, [[1], [2, 4], [3]].sort()],
  ["rows within the window of the last one", ["a", "b", "a", "c", "a"], 2, [[2], [1, 3, 5], [4]].sort()],
  ["no rows beyond the window", ["a", "b", "c", "a"], 2, [[1], [2], [3], [4]]],
])("joins %s", async (_, rows, windowRows, groups) => {
  expect((await linesOf(rows, windowRows)).sort()).toStrictEqual(groups);
});
