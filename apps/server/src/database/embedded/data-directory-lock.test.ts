import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { ConfigError } from "../../config/config-error.js";
import { lockDataDirectory } from "./data-directory-lock.js";

const BUILT = fileURLToPath(new URL("../../../dist/database/embedded/data-directory-lock.js", import.meta.url));

let directory: string;

beforeEach(() => {
  directory = createFolder(onTestFinished);
});

/** Locks the directory in another process, which holds the lock until it is killed. */
async function lockInOtherProcess() {
  const script = `import { lockDataDirectory } from ${JSON.stringify(BUILT)};
    globalThis.lock = lockDataDirectory(${JSON.stringify(directory)});
    console.log("locked");
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [chunk] = await once(holder.stdout, "data");
  expect(String(chunk)).toBe("locked\n");
  return holder;
}

test("can be acquired again after it was released", () => {
  for (let count = 0; count < 3; count++) lockDataDirectory(directory).release();
});

test("rejects a directory that this process has locked", () => {
  const lock = lockDataDirectory(directory);
  expect(() => lockDataDirectory(directory)).toThrow(ConfigError);
  lock.release();
  lockDataDirectory(directory).release();
});

test("rejects a directory that another process has locked, and names the process and the remedy", async () => {
  const holder = await lockInOtherProcess();
  expect(() => lockDataDirectory(directory)).toThrow(
    `DATA_DIR ${directory} is in use by another server (process ${holder.pid}): stop that server, or set another DATA_DIR`,
  );
  holder.kill("SIGKILL");
  await once(holder, "exit");
});

test("is released when its process is killed", async () => {
  const holder = await lockInOtherProcess();
  holder.kill("SIGKILL");
  await once(holder, "exit");
  lockDataDirectory(directory).release();
});
