import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createDataLocation } from "../testing/data-location.js";

const MAIN = fileURLToPath(new URL("../../dist/bundle/main.js", import.meta.url));

const location = await createDataLocation("postgres");

afterAll(() => location[Symbol.asyncDispose]());

/** Runs a server command with the output redirection of a shell. */
async function runInShell(command: string, redirection: string, setUp = "") {
  const script = `${setUp} exec "$0" "$1" ${command} ${redirection}`;
  const env = { ...process.env, ...location.environment };
  const run = promisify(execFile)("bash", ["-c", script, process.execPath, MAIN], { env });
  const { code, stderr } = await run.then(
    () => ({ code: 0, stderr: "" }),
    (error) => error,
  );
  return { code, stderr };
}

test.each(["openapi", "dump -"])("%s succeeds if stdout is a pipe", async (command) => {
  expect(await runInShell(command, "| cat > /dev/null", "set -o pipefail;")).toEqual({ code: 0, stderr: "" });
});

describe("a full disk ends a command with 1 and a one-line error", () => {
  test.each(["--help", "openapi", "create-admin-key", "dump -", "migrate"])("%s", async (command) => {
    expect(await runInShell(command, "> /dev/full")).toEqual({
      code: 1,
      stderr: "calltrack-server: ENOSPC: no space left on device, write\n",
    });
  });

  test("after part of the output was written", async () => {
    const file = join(createFolder(onTestFinished), "openapi.json");
    const end = await runInShell("openapi", `> ${file}`, "ulimit -f 8;");
    expect(end).toEqual({ code: 1, stderr: "calltrack-server: EFBIG: file too large, write\n" });
    expect(await readFile(file)).toHaveLength(8192);
  });
});
