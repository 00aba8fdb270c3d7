import { join } from "node:path";
import { Readable } from "node:stream";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { CreateCallRequestSchema } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { CreatePoolRequestSchema } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { expect, test } from "vitest";
import { findTimeZone } from "../text/time-zone.js";
import { createImportColumns } from "./import-columns.js";
import type { FieldValue, ImportRow } from "./import-row.js";
import { openRowFile, resolveRowFormat } from "./open-row-file.js";

const { signal } = new AbortController();
const host = { stdin: process.stdin, interrupt: { stop: signal, drop: signal } };

async function readFixture(name: string, columns = createImportColumns(CreatePoolRequestSchema)) {
  const file = join(import.meta.dirname, "testing", name);
  const { rows, totalBytes, close } = await openRowFile(file, resolveRowFormat(file, undefined), columns, host);
  try {
    const read: ImportRow[] = await Readable.from(rows).toArray();
    return { totalBytes, rows: read.map(({ line, content }) => ({ line, content })) };
  } finally {
    close();
  }
}

const fields = (fields: Record<string, unknown>) => ({ kind: "fields", fields });

test.each([
  [
    "excel-german.csv",
    [3, fields({ description: "Köln; Süd", size: 10, areaCode: "0221" })],
    [5, { kind: "unreadable", reason: "expected 3 cells, found 5" }],
  ],
  [
    "excel-unicode.tsv",
    [2, fields({ description: "Köln, Süd 🏠", size: 10 })],
    [4, fields({ description: "Bonn", size: 5 })],
  ],
  ["utf-16-be.csv", [2, fields({ description: "Köln", size: 10 })], [3, fields({ description: "Bonn", size: 5 })]],
  ["mark.jsonl", [1, fields({ description: "Köln", size: 10 })], [3, fields({ description: "Bonn", size: 5 })]],
  ["quoted-header.csv", [2, fields({ description: 'a "quoted" name\tand tab', size: 5 })]],
])("reads %s", async (name, ...rows) => {
  const read = await readFixture(name);
  expect(read.rows).toStrictEqual(rows.map(([line, content]) => ({ line, content })));
});

/** Reads calls. Returns, for each line, the value of a column or the reason why it is unreadable. */
async function readCalls(name: string, column: string, zone?: string): Promise<unknown[]> {
  const columns = createImportColumns(CreateCallRequestSchema, zone === undefined ? undefined : findTimeZone(zone));
  const { rows } = await readFixture(name, columns);
  return rows.map(({ line, content }) => [
    line,
    content.kind === "unreadable" ? content.reason : valueText(content.fields[column]),
  ]);
}

function valueText(value: FieldValue | undefined): unknown {
  return typeof value === "object" ? timestampDate(value).toISOString() : value;
}

test("reads local times in a time zone", async () => {
  const rows = await readCalls("local-times.csv", "startedAt", "Europe/Berlin");
  expect(rows).toStrictEqual([
    [2, "2026-11-21T07:30:00.000Z"],
    [3, "2026-07-21T06:30:00.000Z"],
    [4, "2026-11-21T08:30:00.000Z"],
    [5, "started_at does not exist in Europe/Berlin, because clocks were set forward: correct it"],
    [
      6,
      "started_at occurs twice in Europe/Berlin, because clocks were set back: " +
        "write 2026-10-25T02:30:00+02:00 or 2026-10-25T02:30:00+01:00",
    ],
    [7, "started_at must be a time such as 2026-11-21T08:30:00Z"],
    [8, "started_at must be a time such as 2026-11-21T08:30:00Z"],
  ]);
  const [first] = await readCalls("local-times.csv", "startedAt");
  expect(first).toStrictEqual([2, expect.stringMatching(/^started_at must have an offset .* --time-zone/)]);
});

test("reads numbers as people write them, and withheld callers as absent", async () => {
  expect(await readCalls("callers.csv", "callerNumber")).toStrictEqual([
    [2, undefined],
    [3, "+12125550123"],
    [4, undefined],
    [5, undefined],
    [6, undefined],
    [7, expect.stringMatching(/^caller_number must be .*: add the country code and the plus sign/)],
    [8, expect.stringMatching(/^caller_number lost digits in a spreadsheet/)],
    [
      9,
      "caller_number must be a phone number in E.164 format, such as +12223334444, or empty if the number is withheld",
    ],
  ]);
  expect(await readCalls("callers.jsonl", "callerNumber")).toStrictEqual([
    [1, undefined],
    [2, undefined],
    [3, "caller_number must be a string: put it in quotes"],
  ]);
  for (const name of ["callers.csv", "callers.jsonl"]) {
    const [first, second] = await readCalls(name, "trackingNumber");
    expect([first, second]).toMatchObject([
      [expect.any(Number), "+12225550101"],
      [expect.any(Number), "+12225550101"],
    ]);
  }
});

test.each([
  ["workbook.csv", "the file is a spreadsheet or an archive: save it as UTF-8 text"],
  ["utf-16-without-mark.csv", "the file is UTF-16 text without a byte order mark: save it as UTF-8 text"],
  ["utf-16-truncated.csv", "the file is not UTF-16 text: see line 2, and save it as UTF-8 text"],
  ["windows-1252.csv", "the file is not UTF-8 text: see line 3, and save it as UTF-8 text"],
])("says how to save %s", async (name, text) => {
  await expect(readFixture(name)).rejects.toThrow(text);
});

test("knows the size only of UTF-8 files", async () => {
  expect((await readFixture("mark.jsonl")).totalBytes).toBe(73);
  expect((await readFixture("excel-unicode.tsv")).totalBytes).toBeUndefined();
});
