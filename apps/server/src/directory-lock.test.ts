import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { AccountJson } from "./testing/api-client.js";
import { createDataLocation, createNewDataLocation, type DataLocation } from "./testing/data-location.js";
import { createDumpSource } from "./testing/dump-source.js";
import { createEarlierDataLocation } from "./testing/earlier-layout.js";
import { createJsonClient } from "./testing/json-client.js";
import { newAccount } from "./testing/request-fields.js";
import {
  type ProcessEnd,
  runServer,
  type ServerProcess,
  startCommand,
  startServerProcess,
} from "./testing/server-process.js";

/** Each test starts several servers in turn, and some create a database. */
const TIMEOUT_MS = 300_000;

/** Rounds of two servers that start at the same moment. */
const ROUNDS = Number(process.env.LOCK_ROUNDS ?? 3);

/** The states of a data directory before a server starts, each with a function that creates such a directory. */
const WAYS: readonly (readonly [string, () => Promise<DataLocation>])[] = [
  ["after a restore", createRestoredLocation],
  ["on a folder of an earlier release", createEarlierDataLocation],
  ["after an interrupted first start", createUnfinishedLocation],
];

const source = await createDumpSource(1);

async function createRestoredLocation(): Promise<DataLocation> {
  const location = createNewDataLocation();
  expect(await runServer(["restore", source.dump], location.environment)).toMatchObject({ exitCode: 0 });
  return location;
}

async function createUnfinishedLocation(): Promise<DataLocation> {
  const location = createNewDataLocation();
  const interrupted = startCommand([], { ...location.environment, PORT: "0" });
  while (!existsSync(join(directoryOf(location), "postgres/base"))) await pause(5);
  interrupted.kill("SIGKILL");
  await new Promise((resolve) => interrupted.once("close", resolve));
  expect(existsSync(join(directoryOf(location), "server.unfinished"))).toBe(true);
  return location;
}

function directoryOf({ environment }: DataLocation): string {
  return environment.DATA_DIR ?? "";
}

/** Returns the ids of the processes that have locked the directory, according to the operating system. */
function lockHolders(directory: string): number[] {
  const { ino } = statSync(join(directory, "server.lock"));
  const holders = readFileSync("/proc/locks", "utf8")
    .split("\n")
    .map((line) => /ADVISORY +WRITE (\d+) \w+:\w+:(\d+) /.exec(line))
    .filter((match) => Number(match?.[2]) === ino)
    .map((match) => Number(match?.[1]));
  return [...new Set(holders)];
}

function expectLock(location: DataLocation, { pid }: ServerProcess): void {
  if (process.platform === "linux") expect(lockHolders(directoryOf(location))).toEqual([pid]);
}

function refusalBy(pid: number, directory: string): ProcessEnd {
  return {
    exitCode: 2,
    stdout: "",
    stderr: `calltrack-server: DATA_DIR ${directory} is in use by another server (process ${pid}): stop that server, or set another DATA_DIR\n`,
  };
}

describe.concurrent("a data directory in use", { timeout: TIMEOUT_MS }, () => {
  /** Starts a server, which must lock the directory so that another server cannot start. */
  async function startAlone(location: DataLocation): Promise<ServerProcess> {
    const server = await startServerProcess(location.environment);
    expectLock(location, server);
    expect(await runServer([], location.environment)).toEqual(refusalBy(server.pid, directoryOf(location)));
    return server;
  }

  test.each(WAYS)("is locked %s, so that another server cannot start", async (_, create) => {
    await using location = await create();
    await using server = await startAlone(location);
    await newAccount(createJsonClient(server.url));
  });

  test("belongs to one of two servers that start at the same moment on a new folder, and is locked again after kill -9 and a clean stop", async () => {
    await using location = createNewDataLocation();
    const accounts = [await raceToServe(location)];
    for (let start = 0; start < 2; start++) {
      await using server = await startAlone(location);
      const api = createJsonClient(server.url);
      accounts.push(await newAccount(api));
      expect((await api.listAccounts()).entries).toEqual(accounts);
      await server.stop();
    }
  });

  test("rejects every command that would use its database, and is still served", async () => {
    await using location = await createDataLocation("embedded");
    const directory = directoryOf(location);
    await using server = await startServerProcess(location.environment);
    const account = await newAccount(createJsonClient(server.url));
    const other = `${directory}.other`;
    const commands = [["backup", other], ["dump", other], ["restore", source.dump], ["migrate"], ["create-admin-key"]];
    const ends = await Promise.all(commands.map((command) => runServer(command, location.environment)));
    for (const end of ends) expect(end).toEqual(refusalBy(server.pid, directory));
    expect(existsSync(other)).toBe(false);
    expect(await createJsonClient(server.url).getAccount({ id: account.id })).toEqual(account);
  });

  test("belongs to one of two servers that start at the same moment, and no account is lost", async () => {
    await using location = await createDataLocation("embedded");
    const accounts: AccountJson[] = [];
    for (let round = 0; round < ROUNDS; round++) accounts.push(await raceToServe(location));
    await using server = await startServerProcess(location.environment);
    expect((await createJsonClient(server.url).listAccounts()).entries).toEqual(accounts);
  });

  /** Starts two servers, creates an account on the server that has locked the directory, and kills that server. */
  async function raceToServe(location: DataLocation): Promise<AccountJson> {
    const starts = await Promise.allSettled([1, 2].map(() => startServerProcess(location.environment)));
    const servers = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
    const refusals = starts.flatMap((start) => (start.status === "rejected" ? [String(start.reason)] : []));
    await using server = servers[0] as ServerProcess;
    expect(servers).toHaveLength(1);
    expectLock(location, server);
    const { exitCode, stderr } = refusalBy(server.pid, directoryOf(location));
    expect(refusals).toEqual([`Error: the server ended with ${exitCode}: ${stderr}`]);
    const account = await newAccount(createJsonClient(server.url));
    await server.stop("SIGKILL");
    return account;
  }
});

describe.concurrent("a data directory of an earlier release", { timeout: TIMEOUT_MS }, () => {
  /** Moves the selected files into `postgres.moving`, as a start that is interrupted during the move does. */
  async function interruptMove(directory: string, select: (names: readonly string[]) => readonly string[]) {
    const names = (await readdir(directory)).filter((name) => !name.startsWith("server.")).toSorted();
    await mkdir(join(directory, "postgres.moving"));
    for (const name of select(names)) await rename(join(directory, name), join(directory, "postgres.moving", name));
  }

  test.each<[string, (names: readonly string[]) => readonly string[]]>([
    ["before the first file", () => []],
    ["after half of the files", (names) => names.slice(0, names.length / 2)],
    ["after all files", (names) => names],
  ])("keeps its data if the move of its files was interrupted %s", async (_, select) => {
    await using location = await createEarlierDataLocation();
    const directory = directoryOf(location);
    await interruptMove(directory, select);
    await using server = await startServerProcess(location.environment);
    await newAccount(createJsonClient(server.url));
    expect((await readdir(directory)).toSorted()).toEqual(["postgres", "server.lock", "server.pid", "telephony"]);
  });

  test("can be backed up, and the copy served", async () => {
    await using location = await createEarlierDataLocation();
    const backup = `${directoryOf(location)}.backup`;
    expect(await runServer(["backup", backup], location.environment)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await readdir(backup)).toEqual(["postgres"]);
    for (const environment of [location.environment, { DATA_DIR: backup }]) {
      await using server = await startServerProcess(environment);
      await newAccount(createJsonClient(server.url));
    }
  });
});
