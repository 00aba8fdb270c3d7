import { readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../config/config.js";
import { explainServerFailure, type ServerFailure } from "../errors/server-failure.js";
import { createDataLocation, createEmptyDataLocation } from "../testing/data-location.js";
import { createDumpSource, readDumpFile, writeDumpFile, writeOldDump } from "../testing/dump-source.js";
import { expectFailure } from "../testing/expect-failure.js";
import { queryOnce } from "../testing/pg-client.js";
import { type Environment, runServer } from "../testing/server-process.js";
import { dumpDatabase } from "./dump-database.js";
import { restoreDatabase } from "./restore-database.js";

const SOMEWHERE: Environment = { DATABASE_URL: "postgres://u:secret@localhost/x" };

const MEMORY: Environment = { DATA_DIR: "memory://" };

const source = await createDumpSource(200);
/** An empty database for restores of damaged and newer dumps. It stays empty, because each of these restores fails. */
const { environment: target } = await createEmptyDataLocation("postgres");

test.each<[what: string, damage: (content: Buffer) => Buffer, reason: string]>([
  ["was cut off in the middle", (content) => content.subarray(0, content.length / 2), "unexpected end of file"],
  ["lacks its last byte", (content) => content.subarray(0, -1), "unexpected end of file"],
  ["has a changed byte", flipBits, "[^)]+"],
  ["is empty", (content) => content.subarray(0, 0), "unexpected end of file"],
])("rejects a file that %s, and restores nothing", async (_, damage, reason) => {
  const file = join(source.folder, "damaged.dump");
  await writeFile(file, damage(await readFile(source.dump)));
  await expectDamaged(file, reason);
});

test.each<[what: string, change: (lines: string[]) => unknown, reason: string]>([
  ["has lost a row", (lines) => lines.splice(10, 1), "its content does not match its checksum"],
  [
    "has another value",
    (lines) => lines.splice(10, 1, lines[10]?.replace("added", "moved") ?? ""),
    "its content does not match its checksum",
  ],
  [
    "has a row with one invalid value",
    (lines) => lines.splice(10, 1, '["x"]'),
    "its content does not match its checksum",
  ],
  ["has no end", (lines) => lines.splice(-1), "its last line is missing"],
  ["goes on after its end", (lines) => lines.push(lines[10] ?? ""), "it contains data after its last line"],
])("rejects a dump that %s, and restores nothing", async (_, change, reason) => {
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
])("rejects a dump with a newer %s", async (_, header) => {
  const file = join(source.folder, "newer.dump");
  await writeDumpFile(file, [JSON.stringify(header)]);
  const failure = await failureOf(restoreDatabase, file, target);
  expectMessage(failure, 1, "The dump is newer than this release: release 9.0.0 made it");
});

test("escapes control characters in the text of a dump that it prints", async () => {
  const file = join(source.folder, "colorful.dump");
  const { header, data, end } = await readDumpFile(source.dump);
  const restore = async (changed: object, lines: readonly string[]) => {
    await writeDumpFile(file, [JSON.stringify({ ...header, ...changed }), ...lines, JSON.stringify({ end })]);
    await using empty = await createEmptyDataLocation("postgres");
    return runServer(["restore", file], empty.environment);
  };
  const color = "\u001b[31m";
  const restored = await restore({ release: color, created_at: `${color}\u009b` }, data);
  expect(restored).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("a dump of \\u001b[31m\\u009b, made"),
  });
  const newer = await restore({ schema: "9999-future", release: color }, data);
  expectFailure(newer, 1, "The dump is newer than this release: release .u001b.31m made it");
  for (const { stdout, stderr } of [restored, newer]) expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]/u);
});

test("refuses to restore a dump of an older schema into a newer one", async () => {
  const file = join(source.folder, "old.dump");
  await writeOldDump(file);
  await using target = await createDataLocation("postgres");
  expectMessage(
    await failureOf(restoreDatabase, file, target.environment),
    1,
    "The database has the schema \\S+, but the dump has the schema 0003-pass-leases: restore into a new database",
  );
});

test("refuses to restore a dump into a database with rows", async () => {
  const failure = await failureOf(restoreDatabase, source.dump, source.location.environment);
  expectMessage(
    failure,
    1,
    "The database is not empty: the table call_tracker_changes has rows. Restore into an empty database.",
  );
});

test("refuses to dump another application's tables, or an empty database", async () => {
  const { client, folder, location } = source;
  await client.query("create table other (id integer)");
  const other = await failureOf(dumpDatabase, join(folder, "other.dump"), location.environment);
  await client.query("drop table other");
  expectMessage(other, 1, "The table other does not belong to Calltrack");
  const none = await failureOf(dumpDatabase, join(folder, "other.dump"), target);
  expectMessage(none, 1, "The database does not contain Calltrack's tables");
  expect((await readdir(folder)).filter((name) => name.startsWith("other"))).toEqual([]);
});

test.each<[what: string, run: Command, file: () => string | undefined, environment: Environment, line: string]>([
  ["a dump without a file", dumpDatabase, () => undefined, SOMEWHERE, "dump needs the name of a new file"],
  [
    "a dump of a database in memory",
    dumpDatabase,
    () => "x",
    MEMORY,
    "DATA_DIR must be the folder of the database to dump",
  ],
  [
    "a dump of a folder without a database",
    dumpDatabase,
    () => "x",
    { DATA_DIR: tmpdir() },
    "DATA_DIR must be the folder of the database",
  ],
  ["a dump to an existing file", dumpDatabase, () => source.dump, SOMEWHERE, "dump must create the file itself"],
  ["a dump to a missing folder", dumpDatabase, () => `${source.folder}/none/x`, SOMEWHERE, "dump cannot write"],
  ["a restore without a file", restoreDatabase, () => undefined, SOMEWHERE, "restore needs a dump file"],
  ["a restore of a missing file", restoreDatabase, () => `${source.folder}/none`, SOMEWHERE, "restore cannot read"],
  [
    "a restore into a database in memory",
    restoreDatabase,
    () => source.dump,
    MEMORY,
    "DATA_DIR must be a folder to restore into",
  ],
])("refuses %s with exit code 2", async (_, run, file, environment, line) => {
  const failure = await failureOf(run, file(), environment);
  expectMessage(failure, 2, line);
  expect(failure.message).not.toContain("secret");
});

type Command = typeof restoreDatabase;

/** Runs a command in this process, and returns the message and the exit code with which the program would fail. */
async function failureOf(run: Command, file: string | undefined, environment: Environment): Promise<ServerFailure> {
  const { signal } = new AbortController();
  const error = await run(readConfig(environment), file, signal).then(
    () => new Error("the command succeeded"),
    (thrown: unknown) => thrown,
  );
  return explainServerFailure(error);
}

/** Asserts that a failure has one line, which begins with a match for `line`. */
function expectMessage(failure: ServerFailure, exitCode: number, line: string): void {
  expect(failure).toEqual({ exitCode, message: expect.stringMatching(new RegExp(`^${line}[^\\n]*$`)) });
}

function flipBits(content: Buffer): Buffer {
  const middle = Math.floor(content.length / 2);
  content.writeUInt8(content.readUInt8(middle) ^ 0xff, middle);
  return content;
}

async function expectDamaged(file: string, reason: string): Promise<void> {
  const failure = await failureOf(restoreDatabase, file, target);
  expectMessage(failure, 1, `The dump is damaged or incomplete \\(${reason}\\)`);
  // The restore did not even create the schema.
  expect(await queryOnce(target.DATABASE_URL, "select from pg_tables where schemaname = 'public'")).toEqual([]);
}
