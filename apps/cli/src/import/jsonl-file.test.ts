import { Readable } from "node:stream";
import { CreatePoolRequestSchema, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { expect, test } from "vitest";
import { createImportColumns } from "./import-columns.js";
import type { ImportRow } from "./import-row.js";
import { openJsonlFile } from "./jsonl-file.js";

const columns = createImportColumns(CreatePoolRequestSchema);

async function* chunksOf(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
}

async function readRows(text: string): Promise<ImportRow[]> {
  return await Readable.from(openJsonlFile(chunksOf(text), columns).rows).toArray();
}

test.each([
  ['{"size":10,"area_code":"0415"}', { size: 10, areaCode: "0415" }],
  ['{"description":"","utilization":0,"is_dni":false}', { description: "", utilization: 0, isDni: false }],
  ['{"pool_type":"automated","reason":"was refused","size":null}', { poolType: PoolType.AUTOMANAGED }],
  ['{"size":1.0,"utilization":5e-1}', { size: 1, utilization: 0.5 }],
  ["{}", {}],
])("parses %s", async (line, fields) => {
  expect((await readRows(line))[0]?.content).toStrictEqual({ kind: "fields", fields });
});

test.each([
  ['{"size":"10"}', "size must be an integer"],
  ['{"size":1.5}', "size must be an integer"],
  ['{"area_code":415}', "area_code must be a string: put it in quotes"],
  ['{"area_code":12345678901234567890}', "area_code must be a string: put it in quotes"],
  ['{"size":12345678901234567890}', "size must be an integer"],
  ['{"description":"\\ud800"}', "description must be a string of Unicode characters"],
  ['{"is_dni":"true","utilization":"0.5"}', "is_dni must be true or false; utilization must be a number"],
  ['{"pool_type":1}', "pool_type must be manual or automanaged or automated"],
  ["[1]", "the line is not a JSON object"],
  ["null", "the line is not a JSON object"],
  ['{"size":10', "the line is not a JSON object"],
])("rejects %s", async (line, reason) => {
  expect((await readRows(line))[0]?.content).toMatchObject({ kind: "unreadable", reason });
});

test("rejects an unknown key and lists the known ones", async () => {
  expect((await readRows('{"utilisation":1}'))[0]?.content).toMatchObject({
    reason: expect.stringMatching(/^unknown column "utilisation": the columns are original_number, area_code, /),
  });
});

test("stops at a line that is too long without reading all of it", async () => {
  let length = 0;
  async function* endless(): AsyncGenerator<string> {
    yield '{"size":1}\n[';
    for (; ; length += 1000) yield "1,".repeat(500);
  }
  const read = openJsonlFile(endless(), columns).rows[Symbol.asyncIterator]();
  expect((await read.next()).value).toMatchObject({ line: 1 });
  await expect(read.next()).rejects.toThrow(
    /^line 2 is longer than 1048576 characters: write each JSON object on its own /,
  );
  expect(length).toBeLessThan(1_050_000);
});

test("a refused row keeps the digits of its numbers", async () => {
  const line = '{"area_code":9007199254740993,"size":1.10,"is_dni":"no"}';
  const [row] = await readRows(line);
  expect(row?.toReject("new")).toBe(`${line.slice(0, -1)},"reason":"new"}\n`);
});

test("counts empty lines, with either line ending", async () => {
  const rows = await readRows('{"size":1}\r\n\n{"size":2}\n{"size":3}');
  expect(rows.map(({ line }) => line)).toStrictEqual([1, 3, 4]);
});

test("a refused row keeps its keys and gets a reason; an invalid line is kept as text", async () => {
  const rows = await readRows('{"size":"x","reason":"old"}\n{oops\n');
  expect(rows.map((row) => JSON.parse(row.toReject("new")))).toStrictEqual([
    { size: "x", reason: "new" },
    { row: "{oops", reason: "new" },
  ]);
});
