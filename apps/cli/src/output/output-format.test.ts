import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createCsvFormat } from "./csv-format.js";
import { jsonFormat, ndjsonFormat } from "./json-format.js";
import type { OutputFormat } from "./output-format.js";
import type { OutputRow } from "./output-row.js";
import { createTableFormat } from "./table-format.js";
import { yamlFormat } from "./yaml-format.js";

const rows: OutputRow[] = [
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

async function listText(format: OutputFormat, pages: OutputRow[][]): Promise<string> {
  const columns = ["id", "description", "is_dni", "size"];
  let text = "";
  for await (const chunk of format.list({ columns, expendable: ["is_dni"], pages: pagesOf(pages) })) text += chunk;
  return text;
}

async function* pagesOf(pages: OutputRow[][]): AsyncGenerator<OutputRow[]> {
  yield* pages;
}

describe("json", () => {
  test("writes a list of two pages as one array", async () => {
    expect(JSON.parse(await listText(jsonFormat, [rows, rows]))).toStrictEqual([...rows, ...rows]);
  });
  test("writes an empty list as an empty array", async () => {
    expect(await listText(jsonFormat, [[]])).toBe("[]\n");
  });
  test("writes one resource as one object", () => {
    expect(JSON.parse(jsonFormat.one({ id: 1, size: null }))).toStrictEqual({ id: 1, size: null });
  });
});

test("ndjson has one object per line", async () => {
  const lines = (await listText(ndjsonFormat, [rows, rows])).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toStrictEqual([...rows, ...rows]);
});

test.each([jsonFormat, ndjsonFormat, yamlFormat])(
  "format %# escapes characters that could manipulate the terminal",
  async (format) => {
    const row = { id: "\u001b[31mred", description: "\u009b31m\u007f", size: "\u202ex", text: "a\nb", more: "é\u2028" };
    for (const text of [format.one(row), await listText(format, [[row]])]) {
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
      expect([parse(text)].flat()).toEqual([row]);
    }
  },
);

test("csv has a header, and distinguishes empty strings from absent values", async () => {
  expect(await listText(createCsvFormat(true), [rows])).toBe(
    'id,description,is_dni,size\n1,"a ""b"", c",true,\n20,"",false,3\n',
  );
});

test("csv prefixes cells that begin like a formula, and escapes control characters except tabs and line breaks", () => {
  const cells = ["=1+1", "+12223334444", "-5", "@x", "\u001b[31mred", "a\rb", "a\r\nb\tc", "\u202ex", "é"];
  const row = Object.fromEntries(cells.map((cell, index) => [`c${index}`, cell]));
  expect(createCsvFormat(false).one(row)).toBe(
    `'=1+1,+12223334444,-5,'@x,\\u001b[31mred,a\\rb,"a\r\nb\tc",\\u202ex,é\n`,
  );
  expect(createCsvFormat(false).one({ names: ["a;=1+1"] })).toBe(`"[""a;'=1+1""]"\n`);
});

test("csv of an empty list has only the header", async () => {
  expect(await listText(createCsvFormat(true), [[]])).toBe("id,description,is_dni,size\n");
});

test("a table aligns numbers to the right", async () => {
  expect(await listText(tableFormat, [rows])).toBe(
    'id  description  is_dni  size\n 1  a "b", c     true    -\n20               false      3\n',
  );
});

test("a table on a narrow terminal omits a column and reports it", async () => {
  expect(await listText(createTableFormat(narrow), [rows])).toBe(
    'id  description  size\n 1  a "b", c     -\n20                  3\n',
  );
  expect(hidden).toStrictEqual(["is_dni"]);
});

test("a table of one resource has one field per line", () => {
  expect(tableFormat.one({ id: 1, size: null })).toBe("id    1\nsize  -\n");
});
