import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { expect, test, vi } from "vitest";
import { tryLockFile } from "./process-lock.js";

const FOLDER = createFolder();

test("a file that was deleted after it was opened cannot be locked", async () => {
  const file = join(FOLDER, "deleted.lock");
  const { exec } = DatabaseSync.prototype;
  // Another process locks and deletes the file at the moment between opening and locking.
  const spy = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementationOnce(function (this: DatabaseSync, sql) {
    spy.mockRestore();
    tryLockFile(file, 0)?.delete();
    return exec.call(this, sql);
  });
  const lock = tryLockFile(file, 0);
  expect(existsSync(file)).toBe(lock !== undefined);
  expect(await readdir(FOLDER)).toEqual([]);
});
