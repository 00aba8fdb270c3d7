import { Readable } from "node:stream";
import { CreatePoolRequestSchema, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { describe, expect, test } from "vitest";
import { UsageError } from "../process/usage-error.js";
import { openCsvFile } from "./csv-file.js";
import { createImportColumns } from "./import-columns.js";
import type { ImportRow, RowContent } from "./import-row.js";

const columns = createImportColumns(CreatePoolRequestSchema);

async function* chunksOf(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
}

async function readRows(text: string): Promise<ImportRow[]> {
  const { rows } = await openCsvFile(chunksOf(text), columns);
  return await Readable.from(rows).toArray();
}

async function readContent(header: string, row: string): Promise<RowContent | undefined> {
  return (await readRows(`${header}\n${row}\n`))[0]?.content;
}

test("a row has the fields in its header, except empty cells", async () => {
  const header = "size,original_number,area_code,is_dni,is_prompted,is_recorded,pool_type,utilization,description";
  expect(await readContent(header, "10,+12223334444,0415,true,FALSE,,automated,.5,")).toStrictEqual({
    kind: "fields",
    fields: {
      size: 10,
      originalNumber: "+12223334444",
      areaCode: "0415",
      isDni: true,
      isPrompted: false,
      poolType: PoolType.AUTOMANAGED,
      utilization: 0.5,
    },
  });
});

test("a refused row keeps the apostrophe of a cell that begins like a formula", async () => {
  const [row] = await readRows("area_code,description\n415,'=1+1\n");
  expect(row?.toReject("refused")).toBe("refused,415,'=1+1\n");
});

test("a refused row keeps invisible characters, which contacts have around phone numbers, and line breaks", async () => {
  const cells = ["\u202a+1 222 333 4444\u202c", "\u009b", "a\rb", "c\r\nd\te"];
  const text = cells.map((cell) => `415,"${cell}"\n`).join("");
  const rejects = (await readRows(`area_code,description\n${text}`)).map((row) => row.toReject("refused"));
  const again = await readRows(`reason,area_code,description\n${rejects.join("")}`);
  expect(again.map(({ content }) => content.kind === "fields" && content.fields.description)).toStrictEqual(cells);
});

describe("a cell", () => {
  test.each([
    ["description", '"a ""quoted"", cell"', { description: 'a "quoted", cell' }],
    ["description", '"""A"" b\nc"', { description: '"A" b\nc' }],
    ["description", '"A" b', { description: '"A" b' }],
    ["description", "'=1+1", { description: "=1+1" }],
    ["description", "=1+1", { description: "=1+1" }],
    ["description", "'quoted'", { description: "'quoted'" }],
    ["description", 'a 12" sign', { description: 'a 12" sign' }],
    ["pool_type", "POOL_TYPE_MANUAL", { poolType: PoolType.MANUAL }],
    ["pool_type", " Manual ", { poolType: PoolType.MANUAL }],
    ["size,is_dni", " 10 ,\u00a0", { size: 10 }],
    ["size,is_dni", "10", { size: 10 }],
    ["Size,isDni", "10,true", { size: 10, isDni: true }],
    ["reason", "was refused", {}],
    ["Reason", "was refused", {}],
  ])("in %s with %s is parsed", async (column, cell, fields) => {
    expect(await readContent(`area_code,${column}`, `415,${cell}`)).toStrictEqual({
      kind: "fields",
      fields: { areaCode: "415", ...fields },
    });
  });

  test.each([
    ["size", "ten", "size must be an integer"],
    ["size", "1.5", "size must be an integer"],
    ["size", "99999999999", "size must be an integer"],
    ["is_dni", "yes", "is_dni must be true or false"],
    ["is_dni", "constructor", "is_dni must be true or false"],
    ["utilization", "50%", "utilization must be a number"],
    ["utilization", '"0,5"', "utilization must be a number"],
    ["pool_type", "auto", "pool_type must be manual or automanaged or automated"],
    ["size,is_dni", "ten,2", "is_dni must be true or false; size must be an integer"],
    ["size,is_dni", "10,true,true", "expected 2 cells, found 3"],
  ])("in %s with %s is rejected", async (column, cell, reason) => {
    expect(await readContent(column, cell)).toMatchObject({ kind: "unreadable", reason });
  });
});

test("counts line breaks in cells and empty lines", async () => {
  const text = 'area_code,description\n1,a\n\n2,"b\nc"\r\n3,"d\r\ne\r\n"\r\n4,f\n';
  const rows = await readRows(text);
  expect(rows.map(({ line }) => line)).toStrictEqual([2, 4, 6, 9]);
  expect(rows.at(-1)?.endByte).toBe(text.length);
});

test.each(["sep=;\n", '"sep=;"\r\n', "SEP=,\r"])(
  "skips the line %j, which tells spreadsheets the delimiter",
  async (line) => {
    expect((await readRows(`${line}size;is_dni\n1;true\n`)).map(({ line, content }) => [line, content])).toStrictEqual([
      [3, { kind: "fields", fields: { size: 1, isDni: true } }],
    ]);
  },
);

test("counts line breaks in blank cells after the last column", async () => {
  expect((await readRows('size,\n1,"\n"\n2,\n')).map(({ line }) => line)).toStrictEqual([2, 4]);
});

test("a refused row keeps its cells and replaces an old reason", async () => {
  const file = await openCsvFile(chunksOf('reason,size,description\nold,ten,"a, b"\n,1,2,3\n'), columns);
  expect(file.rejectsHeader).toBe("reason,size,description\n");
  const rejects = (await Readable.from(file.rows).toArray()).map((row: ImportRow) => row.toReject("new"));
  expect(rejects).toStrictEqual(['new,ten,"a, b"\n', "new,1,2,3\n"]);
});

describe("rejects a file", () => {
  test.each([
    ["that is empty", "", /^the file is empty: its first line must name the columns \(original_number, /],
    [
      "with an unknown column",
      "size,utilisation\n",
      /^unknown column "utilisation": the columns are original_number, /,
    ],
    ["with an account", "account_id,size\n", /^unknown column "account_id"/],
    ["with an unknown column between semicolons", "size;dni;area_code\n", /^unknown column "dni"/],
    ["with an unknown column between tabs", "size\tdni\n", /^unknown column "dni"/],
    ["with a column without a name", "size,,is_dni\n", /^column 2 has no name: /],
    ["with a duplicate column", "size,Size\n", /^duplicate column "size": delete or rename one of them$/],
    [
      "that is JSON",
      '[{"size": 1}]\n',
      /^the file is JSON: write one object per line, and give the file the extension \.jsonl$/,
    ],
    ["with an unclosed quote", 'size,description\n1,a\n2,"b\n3,c\n', /^cannot read rows after line 2: /],
    [
      "with an unclosed quote before a quoted cell",
      'size,description\n1,"a\r\nb"\r\n2,"c\n3,d\n4,"e"\n',
      /^cannot read rows after line 3: check for an unclosed quote$/,
    ],
  ])("%s", async (_, text, message) => {
    const error = await readRows(text).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toMatch(message);
  });
});
