import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { expect, test } from "vitest";
import { findAccessible, withoutUmask } from "./testing/accessible-files.js";
import { createEarlierDataLocation } from "./testing/earlier-layout.js";
import { getServerCommand, type ServerProcess, startServerProcess } from "./testing/server-process.js";

const folder = createFolder();

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8);
}

function warningsOf({ log }: ServerProcess): unknown[] {
  return log.filter(({ level }) => level === "warn").map(({ msg }) => msg);
}

test("the server creates a directory with its missing parents that only its user can access, whatever the umask", async () => {
  const directory = join(folder, "a/b");
  await using server = await withoutUmask(() => startServerProcess({ DATA_DIR: directory }));
  const folders = [join(folder, "a"), directory, join(directory, "postgres")];
  expect(folders.map(modeOf)).toEqual(["700", "700", "700"]);
  expect(findAccessible(directory)).toEqual([]);
  expect(warningsOf(server)).toEqual([]);
});

test("removes other users' access to a directory of an earlier release, and logs one line", async () => {
  await using location = await createEarlierDataLocation();
  const { DATA_DIR = "" } = location.environment;
  for (const name of readdirSync(DATA_DIR)) chmodSync(join(DATA_DIR, name), 0o777);
  chmodSync(DATA_DIR, 0o755);
  await using server = await startServerProcess(location.environment);
  expect([DATA_DIR, join(DATA_DIR, "postgres")].map(modeOf)).toEqual(["750", "700"]);
  expect(findAccessible(join(DATA_DIR, "postgres"))).toEqual([]);
  expect(warningsOf(server)).toEqual(["other users had access to DATA_DIR: their access was removed"]);
});

// Only root can give the folder to another user.
test.skipIf(process.getuid?.() !== 0)("serves another user's directory, and logs what its owner must do", async () => {
  const NOBODY = 65_534;
  const DATA_DIR = join(folder, "shared");
  mkdirSync(DATA_DIR);
  chmodSync(folder, 0o755);
  chownSync(DATA_DIR, 0, NOBODY);
  chmodSync(DATA_DIR, 0o2775);
  // With `dac_override`, the server can read the checkout even in a folder that only its owner can enter. Changing the modes of files needs another
  // capability.
  const access = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
  const asNobody = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", ...access];
  await using server = await startServerProcess({ DATA_DIR }, [...asNobody, ...getServerCommand({ DATA_DIR })]);
  expect(warningsOf(server)).toEqual(["other users have access to DATA_DIR: its owner must remove their access"]);
  expect(findAccessible(DATA_DIR)).toEqual([]);
});
