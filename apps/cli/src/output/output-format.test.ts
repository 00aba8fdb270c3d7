import { describe, expect, test } from "vitest";
import type { Row } from "../resource-row.js";
import { createCsvFormat } from "./csv-format.js";
import { jsonFormat } from "./json-format.js";
import { ndjsonFormat } from "./ndjson-format.js";
import type { OutputFormat } from "./output-format.js";
import { createTableFormat } from "./table-format.js";

const rows: Row[] = [
  { id: 1, description: 'a "b", c', is_dni: true, size: null },
  { id: 20, description: "", is_dni: false, size: 3 },
];

const hidden: string[] = [];
const narrow = {
  width: 24,
  header: true,
  onHidden: (names: readonly string[]) => hidden.push(...names),
};
const tableFormat = createTableFormat({ header: true, onHidden: () => {} });

async function listText(format: OutputFormat, pages: Row[][]): Promise<string> {
  const columns = ["id", "description", "is_dni", "size"];
  let text = "";
  for await (const chunk of format.list({ columns, expendable: ["is_dni"], pages: pagesOf(pages) })) text += chunk;
  return text;
}

async function* pagesOf(pages: Row[][]): AsyncGenerator<Row[]> {
  yield* pages;
}

describe("json", () => {
  test("a list of two pages is one array", async () => {
    expect(JSON.parse(await listText(jsonFormat, [rows, rows]))).toStrictEqual([...rows, ...rows]);
  });
  test("an empty list is an empty array", async () => {
    expect(await listText(jsonFormat, [[]])).toBe("[]\n");
  });
  test("one resource is one object", () => {
    expect(JSON.parse(jsonFormat.one({ id: 1, size: null }))).toStrictEqual({ id: 1, size: null });
  });
});

test("ndjson has one object a line", async () => {
  const lines = (await listText(ndjsonFormat, [rows, rows])).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toStrictEqual([...rows, ...rows]);
});

test("csv has a header, and tells an empty text from an absent value", async () => {
  expect(await listText(createCsvFormat(true), [rows])).toBe(
    'id,description,is_dni,size\n1,"a ""b"", c",true,\n20,"",false,3\n',
  );
});

test("csv of an empty list is its header", async () => {
  expect(await listText(createCsvFormat(true), [[]])).toBe("id,description,is_dni,size\n");
});

test("a table is aligned, numbers to the right", async () => {
  expect(await listText(tableFormat, [rows])).toBe(
    'id  description  is_dni  size\n 1  a "b", c     true    -\n20               false      3\n',
  );
});

test("a table in a narrow terminal leaves out a column and says which", async () => {
  expect(await listText(createTableFormat(narrow), [rows])).toBe(
    'id  description  size\n 1  a "b", c     -\n20                  3\n',
  );
  expect(hidden).toStrictEqual(["is_dni"]);
});

test("a table of one resource has one field a line", () => {
  expect(tableFormat.one({ id: 1, size: null })).toBe("id    1\nsize  -\n");
});
