import { expect, test } from "vitest";
import { layOutTable } from "./table-layout.js";

const columns = [
  { name: "id", width: 10 },
  { name: "description", width: 40 },
  { name: "size", width: 5 },
  { name: "created_at", width: 20 },
];
const expendable = ["created_at", "size"];

test.each([
  ["no terminal", undefined, ["id 10", "description 40", "size 5", "created_at 20"]],
  ["the full width", 81, ["id 10", "description 40", "size 5", "created_at 20"]],
  ["one column less", 80, ["id 10", "description 39", "size 5", "created_at 20"]],
  ["the minimum for all columns", 52, ["id 10", "description 11", "size 5", "created_at 20"]],
  ["too narrow for one column", 51, ["id 10", "description 32", "size 5"]],
  ["too narrow for two columns", 28, ["id 10", "description 16"]],
  ["narrower than the required columns", 5, ["id 10", "description 11"]],
])("%s: %s", (_, room, shown) => {
  expect(layOutTable(columns, expendable, room).map(({ name, width }) => `${name} ${width}`)).toStrictEqual(shown);
});

test("truncates several long columns to fit", () => {
  const texts = [
    { name: "source", width: 16 },
    { name: "reason", width: 40 },
  ];
  const widths = (room: number) => layOutTable(texts, [], room).map(({ width }) => width);
  expect([58, 50, 40, 30, 20].map(widths)).toStrictEqual([
    [16, 40],
    [16, 32],
    [15, 23],
    [10, 18],
    [10, 18],
  ]);
});
