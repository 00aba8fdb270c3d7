import { readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDataLocation, createEmptyDataLocation, createNewDataLocation } from "../testing/data-location.js";
import {
  createDumpSource,
  type DumpSource,
  readDumpFile,
  writeDumpFile,
  writeOldDump,
} from "../testing/dump-source.js";
import { type Environment, type ProcessEnd, runServer, startServerProcess } from "../testing/server-process.js";

const SOMEWHERE: Environment = { DATABASE_URL: "postgres://u:secret@localhost/x" };

let source: DumpSource;

beforeAll(async () => {
  source = await createDumpSource();
});

afterAll(() => source?.[Symbol.asyncDispose]());

test.each<[what: string, damage: (content: Buffer) => Buffer, reason: string]>([
  ["was cut off in the middle", (content) => content.subarray(0, content.length / 2), "unexpected end of file"],
  ["lacks its last byte", (content) => content.subarray(0, -1), "unexpected end of file"],
  ["has a byte that changed", flipBits, "[^)]+"],
  ["is empty", (content) => content.subarray(0, 0), "unexpected end of file"],
])("refuses a file that %s, and leaves nothing of it", async (_, damage, reason) => {
  const file = join(source.folder, "damaged.dump");
  await writeFile(file, damage(await readFile(source.dump)));
  await expectDamaged(file, reason);
});

test.each<[what: string, change: (lines: string[]) => unknown, reason: string]>([
  ["has lost a row", (lines) => lines.splice(10, 1), "its checksum is wrong"],
  [
    "has another value",
    (lines) => lines.splice(10, 1, lines[10]?.replace("added", "moved") ?? ""),
    "its checksum is wrong",
  ],
  ["has a value that is of no type", (lines) => lines.splice(10, 1, '["x"]'), "its checksum is wrong"],
  ["has no end", (lines) => lines.splice(-1), "its end is missing"],
  ["goes on after its end", (lines) => lines.push(lines[10] ?? ""), "it has data after its end"],
])("refuses a dump that %s, and leaves nothing of it", async (_, change, reason) => {
  const file = join(source.folder, "changed.dump");
  const { header, data, end } = await readDumpFile(source.dump);
  const lines = [JSON.stringify(header), ...data, JSON.stringify({ end })];
  change(lines);
  await writeDumpFile(file, lines);
  await expectDamaged(file, reason);
});

test.each([
  ["schema", { calltrack_dump: 1, schema: "9999-future", release: "9.0.0" }],
  ["format", { calltrack_dump: 2, schema: "0008-audit-entries", release: "9.0.0" }],
])("refuses a dump with a newer %s", async (_, header) => {
  const file = join(source.folder, "newer.dump");
  await writeDumpFile(file, [JSON.stringify(header)]);
  await using target = createNewDataLocation();
  const end = await runServer(["restore", file], target.environment);
  expectLine(end, 1, "The dump is newer than this release: release 9.0.0 made it");
});

test("refuses to restore a dump of an older schema where there is a newer one", async () => {
  const file = join(source.folder, "old.dump");
  await writeOldDump(file);
  await using target = await createDataLocation("postgres");
  const end = await runServer(["restore", file], target.environment);
  expectLine(
    end,
    1,
    "The database has the schema \\S+, but the dump has 0003-pass-leases: restore into a new database",
  );
});

test("refuses a dump of tables that are of something else, and of no tables", async () => {
  const { client, folder, location } = source;
  await client.query("create table other (id integer)");
  const other = await runServer(["dump", join(folder, "other.dump")], location.environment);
  await client.query("drop table other");
  expectLine(other, 1, "The table other does not belong to Calltrack");
  await using empty = await createEmptyDataLocation("postgres");
  const none = await runServer(["dump", join(folder, "other.dump")], empty.environment);
  expectLine(none, 1, "The database has no tables of Calltrack");
  expect((await readdir(folder)).filter((name) => name.startsWith("other"))).toEqual([]);
});

test("refuses an embedded database that a server uses", async () => {
  await using location = await createDataLocation("embedded");
  await using _server = await startServerProcess(location.environment);
  const dumped = await runServer(["dump", join(source.folder, "busy.dump")], location.environment);
  expectLine(dumped, 1, "DATA_DIR \\S+ is in use by another server");
  const restored = await runServer(["restore", source.dump], location.environment);
  expectLine(restored, 1, "DATA_DIR \\S+ is in use by another server");
  expect((await readdir(source.folder)).filter((name) => name.startsWith("busy"))).toEqual([]);
});

test.each<[what: string, args: () => string[], environment: Environment, line: string]>([
  ["a dump without a file", () => ["dump"], SOMEWHERE, "dump needs the name of a new file"],
  ["a dump of memory", () => ["dump", "x"], {}, "DATA_DIR must be the folder of a database for dump"],
  [
    "a dump of another folder",
    () => ["dump", "x"],
    { DATA_DIR: tmpdir() },
    "DATA_DIR must be the folder of a database",
  ],
  ["a dump over a file", () => ["dump", source.dump], SOMEWHERE, "dump must create its file"],
  ["a dump into no folder", () => ["dump", `${source.folder}/none/x`], SOMEWHERE, "dump cannot write"],
  ["a restore without a file", () => ["restore"], SOMEWHERE, "restore needs a dump file"],
  ["a restore of no file", () => ["restore", `${source.folder}/none`], SOMEWHERE, "restore cannot read"],
  ["a restore into memory", () => ["restore", source.dump], {}, "DATA_DIR must be a folder for restore"],
])("refuses %s with exit code 2", async (_, args, environment, line) => {
  const end = await runServer(args(), environment);
  expectLine(end, 2, line);
  expect(end.stderr).not.toContain("secret");
});

function flipBits(content: Buffer): Buffer {
  const middle = Math.floor(content.length / 2);
  content.writeUInt8(content.readUInt8(middle) ^ 0xff, middle);
  return content;
}

async function expectDamaged(file: string, reason: string): Promise<void> {
  await using target = await createEmptyDataLocation("postgres");
  const end = await runServer(["restore", file], target.environment);
  expectLine(end, 1, `The dump is damaged or incomplete \\(${reason}\\)`);
  // Not even the schema.
  const dumped = await runServer(["dump", `${file}.again`], target.environment);
  expectLine(dumped, 1, "The database has no tables of Calltrack");
}

function expectLine(end: ProcessEnd, exitCode: number, line: string): void {
  expect(end).toEqual({ exitCode, stdout: "", stderr: expect.stringMatching(`^calltrack-server: ${line}[^\\n]*\\n$`) });
}
