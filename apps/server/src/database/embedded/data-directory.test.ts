import fs from "node:fs";
import { cp, mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { beforeEach, describe, expect, inject, onTestFinished, test } from "vitest";
import { UnusableDatabaseError } from "../../errors/unusable-database-error.js";
import { createEarlierDataLocation } from "../../testing/earlier-layout.js";
import { openDatabase } from "../open-database.js";
import {
  beginDatabaseCreation,
  finishDatabaseCreation,
  inspectDataDirectory,
  prepareDataDirectory,
} from "./data-directory.js";
import { LOCK_FILE_NAMES, lockDataDirectory } from "./data-directory-lock.js";
import { openDataDirectory } from "./open-data-directory.js";

let directory: string;

beforeEach(() => {
  directory = join(createFolder(onTestFinished), "data");
});

describe("a folder counts as empty", () => {
  test("if it does not exist or has no contents", async () => {
    expect(inspectDataDirectory(directory)).toBe("empty");
    await mkdir(directory);
    expect(inspectDataDirectory(directory)).toBe("empty");
  });

  test("if it contains only the lock and lost+found", async () => {
    await mkdir(directory);
    const lock = lockDataDirectory(directory);
    await mkdir(join(directory, "lost+found"));
    expect(inspectDataDirectory(directory)).toBe("empty");
    for (const name of LOCK_FILE_NAMES) await writeFile(join(directory, name), "");
    expect(inspectDataDirectory(directory)).toBe("empty");
    lock.release();
    expect(inspectDataDirectory(directory)).toBe("empty");
  });
});

describe("an interrupted first start", () => {
  test("is repeated in a cleaned folder, and completes", async () => {
    await mkdir(join(directory, "lost+found"), { recursive: true });
    beginDatabaseCreation(directory);
    await writeFile(join(directory, "postgres/PG_VERSION"), "18\n");
    await mkdir(join(directory, "base"));
    expect(inspectDataDirectory(directory)).toBe("unfinished");
    beginDatabaseCreation(directory);
    expect(fs.readdirSync(directory).toSorted()).toEqual(["lost+found", "postgres", "server.unfinished"]);
    expect(fs.readdirSync(join(directory, "postgres"))).toEqual([]);
    await cp(inject("migratedDirectory"), directory, { recursive: true });
    finishDatabaseCreation(directory);
    expect(inspectDataDirectory(directory)).toBe("database");
  });
});

test("a group that shares a directory by the setgid bit keeps its access", async () => {
  await mkdir(directory);
  fs.chmodSync(directory, 0o2775);
  const lock = openDataDirectory(directory);
  beginDatabaseCreation(directory);
  const modes = [directory, join(directory, "postgres")].map((path) => fs.statSync(path).mode & 0o7777);
  expect(modes).toEqual([0o2770, 0o2770]);
  lock.release();
});

test.each<[string, (names: readonly string[]) => readonly string[]]>([
  ["before the first file", () => []],
  ["after half of the files", (names) => names.slice(0, names.length / 2)],
  ["after all files", (names) => names],
])("completes the move of an earlier release's files that was interrupted %s", async (_, select) => {
  await using location = await createEarlierDataLocation();
  const { DATA_DIR = "" } = location.environment;
  const names = (await readdir(DATA_DIR)).filter((name) => !LOCK_FILE_NAMES.includes(name)).toSorted();
  await mkdir(join(DATA_DIR, "postgres.moving"));
  for (const name of select(names)) await rename(join(DATA_DIR, name), join(DATA_DIR, "postgres.moving", name));
  expect(prepareDataDirectory(DATA_DIR)).toBe("database");
  const contentsOf = async (folder: string) => (await readdir(folder, { recursive: true })).toSorted();
  expect(await contentsOf(DATA_DIR)).toEqual(await contentsOf(inject("migratedDirectory")));
});

/** Expects that a server rejects the folder and leaves its files unchanged. */
function expectRefused(pattern: RegExp): void {
  const before = fs.readdirSync(directory, { recursive: true }).toSorted();
  const open = () => openDatabase({ kind: "embedded", directory });
  expect(open).toThrow(pattern);
  expect(open).toThrow(`DATA_DIR ${directory} `);
  expect(fs.readdirSync(directory, { recursive: true }).toSorted()).toEqual(before);
}

describe.each([
  ["PostgreSQL's folder", "postgres"],
  ["the folder itself, as earlier releases did", "."],
])("rejects a folder and leaves it unchanged, with files in %s:", (_, place) => {
  let files: string;

  beforeEach(async () => {
    files = join(directory, place);
    for (const name of fs.readdirSync(join(inject("migratedDirectory"), "postgres"))) {
      await mkdir(join(files, name), { recursive: true });
    }
    await rm(join(files, "PG_VERSION"), { recursive: true });
    await writeFile(join(files, "PG_VERSION"), "18\n");
    await writeFile(join(files, "global/pg_control"), "");
    expect(inspectDataDirectory(directory)).toBe("database");
  });

  test.each(["PG_VERSION", "global/pg_control", "base", "pg_wal", "pg_notify", "postgresql.conf"])(
    "a database without %s",
    async (name) => {
      await rm(join(files, name), { recursive: true });
      expectRefused(/contains an incomplete database, which lacks [\w/., ]+: restore a complete backup/);
    },
  );

  test("only the version of a database", async () => {
    await rm(files, { recursive: true });
    await mkdir(files, { recursive: true });
    await writeFile(join(files, "PG_VERSION"), "18\n");
    expectRefused(/lacks base, global, global\/pg_control, .*: restore a complete backup/);
  });

  test("a database from another PostgreSQL major version, and names the remedy", async () => {
    await writeFile(join(files, "PG_VERSION"), "17\n");
    expectRefused(
      /was written by PostgreSQL 17, and this release reads PostgreSQL 18: .*calltrack-server dump.*restore/,
    );
  });

  test("an invalid version", async () => {
    await writeFile(join(files, "PG_VERSION"), "");
    expectRefused(/has a damaged file PG_VERSION: restore a backup/);
  });
});

test.each(["a file", "a folder in a file", "a link to a missing folder"])("rejects %s", async (kind) => {
  if (kind === "a link to a missing folder") await symlink(`${directory}-missing`, directory);
  else await writeFile(directory, "");
  const target = kind === "a folder in a file" ? join(directory, "data") : directory;
  const open = () => openDataDirectory(target);
  expect(open).toThrow(UnusableDatabaseError);
  expect(open).toThrow(/let DATA_DIR name a folder\. If its disk is not mounted, mount it$/);
});

test("removes other users' access to a folder outside that the link postgres leads to", async () => {
  const outside = `${directory}-disk`;
  await mkdir(directory, { mode: 0o700 });
  await cp(join(inject("migratedDirectory"), "postgres"), outside, { recursive: true });
  fs.chmodSync(outside, 0o755);
  await symlink(outside, join(directory, "postgres"));
  openDataDirectory(directory).release();
  expect(fs.statSync(outside).mode & 0o777).toBe(0o750);
});

describe("rejects a folder and leaves it unchanged", () => {
  test.each(["a missing folder", "an empty folder"])("with a link that leads to %s", async (kind) => {
    const outside = `${directory}-disk`;
    await mkdir(directory);
    if (kind === "an empty folder") await mkdir(outside);
    await symlink(outside, join(directory, "postgres"));
    expectRefused(/contains the link postgres, which leads to no database: mount its disk, or let the link lead to/);
  });

  test("with other files", async () => {
    await mkdir(directory);
    await writeFile(join(directory, "notes.txt"), "");
    expectRefused(/contains files \(notes\.txt\), but no database: set DATA_DIR to an empty or new folder$/);
  });

  test("with a database from an earlier release and one from this release", async () => {
    await mkdir(join(directory, "postgres"), { recursive: true });
    await writeFile(join(directory, "PG_VERSION"), "18\n");
    expectRefused(/contains two databases, one of them in the folder postgres: move one of the databases away/);
  });
});
