import { rm, writeFile } from "node:fs/promises";
import { afterAll, afterEach, expect, test } from "vitest";
import type { AccountJson } from "./testing/api-client.js";
import { createNewDataLocation } from "./testing/data-location.js";
import { createJsonClient } from "./testing/json-client.js";
import { requireRefusal } from "./testing/refusal.js";
import { newAccount } from "./testing/request-fields.js";
import { type ProcessEnd, runServer, startServerProcess } from "./testing/server-process.js";

const PRELOAD = new URL("../dist/testing/full-disk.js", import.meta.url).href;

/** The test starts several servers in turn. */
const TIMEOUT_MS = 300_000;

const FREE_SPACE =
  "free some space on the disk of the folder, and start the server again. No acknowledged change is lost";

const location = createNewDataLocation();
const switchFile = `${location.environment.DATA_DIR}.full`;
const environment = {
  ...location.environment,
  FULL_DISK: switchFile,
  NODE_OPTIONS: `--import=${PRELOAD}`,
  LOG_LEVEL: "silent",
};

afterEach(freeSpace);

afterAll(() => location[Symbol.asyncDispose]());

/** Makes writes to files with matching paths fail until `freeSpace` is called. */
function fillDisk(files: RegExp): Promise<void> {
  return writeFile(switchFile, files.source);
}

function freeSpace(): Promise<void> {
  return rm(switchFile, { force: true });
}

/** Asserts that a process has ended with one line that says what failed, and that space must be freed. */
function expectFullDisk({ exitCode, stderr }: ProcessEnd, failure: RegExp): void {
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(new RegExp(`^calltrack-server: ${failure.source}: [^\\n]*${FREE_SPACE}[^\\n]*\\n$`));
}

test("with a full disk, the embedded engine loses no acknowledged write, and succeeds again after space is freed", {
  timeout: TIMEOUT_MS,
}, async () => {
  const accounts: AccountJson[] = [];

  // The first start reports the full disk.
  await fillDisk(/\/global\//);
  expectFullDisk(await runServer([], environment), /DATA_DIR \S+ cannot be opened \(ENOSPC: [^\n]*\)/);
  await freeSpace();

  // The process ends with the reason if the write-ahead log has no space.
  {
    await using server = await startServerProcess(environment);
    const api = createJsonClient(server.url);
    accounts.push(await newAccount(api));
    await fillDisk(/\/pg_wal\//);
    await expect(newAccount(api)).rejects.toBeInstanceOf(TypeError);
    expectFullDisk(
      await server.ended,
      /the embedded database in DATA_DIR \S+ has crashed \([^\n]*No space left on device\)/,
    );
  }

  // The next start reports the full disk.
  await fillDisk(/postmaster\.pid|\/pg_wal\//);
  const end = await runServer([], environment);
  expect(end.stdout).toBe("");
  expectFullDisk(end, /DATA_DIR \S+ cannot be opened \([^\n]*No space left on device\)/);
  await freeSpace();

  // A write that needs more space fails with UNAVAILABLE, and reads succeed.
  {
    await using server = await startServerProcess(environment);
    const api = createJsonClient(server.url);
    expect((await api.listAccounts()).entries).toEqual(accounts);
    await fillDisk(/\/base\//);
    // Writes succeed until the existing pages of the table are full.
    const fill = async () => {
      for (;;) accounts.push(await newAccount(api));
    };
    expect(await requireRefusal(fill())).toMatchObject({
      ...{ status: "UNAVAILABLE", reason: "UNAVAILABLE" },
      message: "the database has no disk space or memory left: retry after its operator has freed some",
    });
    expect((await api.listAccounts()).entries).toEqual(accounts);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await freeSpace();
    accounts.push(await newAccount(api));

    // A stop reports the full disk.
    await fillDisk(/\/pg_wal\/|\/global\/|\/pg_logical\//);
    expectFullDisk(await server.stop(), /the embedded database in DATA_DIR \S+ was not closed properly \([^\n]+\)/);
  }

  await freeSpace();
  await using server = await startServerProcess(environment);
  expect((await createJsonClient(server.url).listAccounts()).entries).toEqual(accounts);
  expect(await server.stop()).toMatchObject({ exitCode: 0 });
});
