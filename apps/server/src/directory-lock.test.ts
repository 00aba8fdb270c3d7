import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { MIGRATION_NAMES } from "./database/migrate.js";
import type { AccountJson } from "./testing/api-client.js";
import { createNewDataLocation, type DataLocation } from "./testing/data-location.js";
import { writeDumpFile } from "./testing/dump-source.js";
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
const ROUNDS = Number(process.env.LOCK_ROUNDS ?? 2);

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

  test("is locked on a folder of an earlier release, so that another server cannot start", async () => {
    await using location = await createEarlierDataLocation();
    await using server = await startAlone(location);
    await newAccount(createJsonClient(server.url));
  });

  test("is locked after an interrupted first start, rejects every command that would use its database, and is still served", async () => {
    await using location = await createUnfinishedLocation();
    const directory = directoryOf(location);
    await using server = await startServerProcess(location.environment);
    expectLock(location, server);
    const account = await newAccount(createJsonClient(server.url));
    const other = `${directory}.other`;
    const dump = `${directory}.dump`;
    await writeDumpFile(dump, [
      JSON.stringify({ calltrack_dump: 1, schema: MIGRATION_NAMES[0], release: "1.0.0", created_at: "" }),
    ]);
    const commands = [[], ["backup", other], ["dump", other], ["restore", dump], ["migrate"], ["create-admin-key"]];
    const ends = await Promise.all(commands.map((command) => runServer(command, location.environment)));
    for (const end of ends) expect(end).toEqual(refusalBy(server.pid, directory));
    expect(existsSync(other)).toBe(false);
    expect(await createJsonClient(server.url).getAccount({ id: account.id })).toEqual(account);
  });

  test("belongs to one of two servers that start at the same moment, on a new folder and after kill -9, and no account is lost", async () => {
    await using location = createNewDataLocation();
    const accounts: AccountJson[] = [];
    for (let round = 0; round < ROUNDS; round++) accounts.push(await raceToServe(location));
    await using recovered = await startAlone(location);
    accounts.push(await newAccount(createJsonClient(recovered.url)));
    await recovered.stop();
    await using server = await startServerProcess(location.environment);
    expectLock(location, server);
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
