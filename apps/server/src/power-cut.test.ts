import { rm } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { AccountJson } from "./testing/api-client.js";
import { createNewDataLocation } from "./testing/data-location.js";
import { createEarlierDataLocation } from "./testing/earlier-layout.js";
import { createJsonClient } from "./testing/json-client.js";
import { restoreImage } from "./testing/recorded-disk.js";
import { uniqueToken } from "./testing/request-fields.js";
import { type Environment, startServerProcess } from "./testing/server-process.js";

const RECORDER = new URL("../dist/testing/power-cut-recorder.js", import.meta.url);

/** The number of concurrent clients. With several clients, commits share a sync to the disk. */
const CLIENTS = 8;

/** Each test takes long, because it starts several servers one after the other, and creates or recovers a database. */
const TIMEOUT_MS = 300_000;

interface Cut extends AsyncDisposable {
  /** The environment variables for a server on the data that survived. */
  readonly environment: Environment;
  /** The accounts whose creation was acknowledged before the power cut. */
  readonly acknowledged: readonly AccountJson[];
}

/** Serves a data directory, and simulates a power cut during writes once `atLeast` writes are acknowledged. */
async function cutPower({ DATA_DIR = "" }: Environment, atLeast: number): Promise<Cut> {
  const image = `${DATA_DIR}.image`;
  const left = `${DATA_DIR}.left`;
  const environment = {
    DATA_DIR,
    POWER_CUT_IMAGE: image,
    NODE_OPTIONS: `--import=${pathToFileURL(RECORDER.pathname)}`,
  };
  const acknowledged: AccountJson[] = [];
  await using server = await startServerProcess(environment);
  const api = createJsonClient(server.url);
  const write = async () => {
    for (;;) {
      acknowledged.push(await api.createAccount({ account_token: uniqueToken() }));
      if (acknowledged.length === atLeast) server.kill("SIGKILL");
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, () => expect(write()).rejects.toBeInstanceOf(TypeError)));
  await server.ended;
  restoreImage(image, left);
  await rm(image, { recursive: true });
  return {
    environment: { DATA_DIR: left },
    acknowledged,
    [Symbol.asyncDispose]: () => rm(left, { recursive: true }),
  };
}

async function expectKept({ environment, acknowledged }: Cut): Promise<void> {
  await using server = await startServerProcess(environment);
  const { entries } = await createJsonClient(server.url).listAccounts();
  const kept = new Map(entries.map((account) => [account.id, account]));
  for (const account of acknowledged) expect(kept.get(account.id)).toEqual(account);
}

describe("on the embedded engine, a power cut during writes loses no acknowledged write", () => {
  test("after the first start and many writes", { timeout: TIMEOUT_MS }, async () => {
    await using location = createNewDataLocation();
    await using cut = await cutPower(location.environment, 100);
    expect(cut.acknowledged.length).toBeGreaterThanOrEqual(100);
    await expectKept(cut);
  });

  test("right after the files of an earlier release were moved", { timeout: TIMEOUT_MS }, async () => {
    await using location = await createEarlierDataLocation();
    await using cut = await cutPower(location.environment, 1);
    await expectKept(cut);
  });
});
