import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AccountJson, ApiClient } from "../testing/api-client.js";
import { createDataLocation, createEmptyDataLocation, type DataLocation } from "../testing/data-location.js";
import { dumpToFile, readDumpFile } from "../testing/dump-source.js";
import { createJsonClient } from "../testing/json-client.js";
import { newAccount } from "../testing/request-fields.js";
import { addSampleData, readAllResources, type StoredRequest } from "../testing/sample-data.js";
import { type Environment, runServer, startServerProcess } from "../testing/server-process.js";
import { SERVER_ENGINES } from "../testing/test-database.js";

/** The settings with which a server runs passes only when a request advances its clock. */
const QUIET: Environment = { CLOCK: "virtual", PASSES: "off" };

describe.each(SERVER_ENGINES)("a dump of the %s engine", (engine) => {
  const folder = createFolder();
  const dump = join(folder, "data.dump");
  const embeddedDump = join(folder, "embedded.dump");
  let source: DataLocation;
  let answered: StoredRequest;
  let before: Readonly<Record<string, string>>;

  beforeAll(async () => {
    source = await createDataLocation(engine);
    await using server = await startServerProcess({ ...source.environment, ...QUIET });
    answered = await addSampleData(server.url);
    before = await readAllResources(server.url);
    await server.stop();
    expect(await runServer(["dump", dump], source.environment)).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(new RegExp(`^dumped \\d+ rows to ${dump}\n$`)),
      stderr: "",
    });
  });

  afterAll(() => source?.[Symbol.asyncDispose]());

  test("contains rows of every table and is readable only by its owner", async () => {
    expect(await readdir(folder)).toEqual(["data.dump"]);
    expect((await stat(dump)).mode & 0o777).toBe(0o600);
    const { end } = await readDumpFile(dump);
    expect(Object.entries(end.rows).filter(([, count]) => count === 0)).toEqual([]);
  });

  test("restores the same data into the embedded engine", async () => {
    await using target = await createEmptyDataLocation("embedded");
    expect(await runServer(["restore", dump], target.environment)).toMatchObject({ exitCode: 0, stderr: "" });
    await dumpToFile(embeddedDump, target);
    expect(await dataOf(embeddedDump)).toEqual(await dataOf(dump));

    await using server = await startServerProcess({ ...target.environment, ...QUIET });
    expect(await readAllResources(server.url)).toEqual(before);
    expect(await (await fetch(server.url + answered.path, answered.init)).text()).toBe(answered.answer);
    const api = createJsonClient(server.url);
    const accounts = (await api.listAccounts()).entries;
    const [endpoint] = (await api.listWebhookEndpoints({ account_id: accounts[0]?.account_token })).entries;
    expect(endpoint).toMatchObject({ is_active: false, inactive_reason: "the endpoint was restored from a dump" });
    expect((await newAccount(api)).id).toBe(Math.max(...accounts.map(({ id }) => id)) + 1);
    await expectPools(api, accounts[0]);
  });

  test("restores the same data from the embedded engine into PostgreSQL, and lists the phone systems that need another SECRETS_KEY", async () => {
    await using target = await createEmptyDataLocation("postgres");
    const { exitCode, stdout } = await runServer(["restore", embeddedDump], {
      ...target.environment,
      SECRETS_KEY: "",
    });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /\nthe credentials of these phone systems [^\n]+ calltrack phone-systems rotate\n {2}[\da-f-]{36} /,
    );
    const again = join(folder, "postgres.dump");
    await dumpToFile(again, target);
    expect(await dataOf(again)).toEqual(await dataOf(dump));
  });
});

/** Returns the rows of a dump without the webhook endpoints, because a restore makes them inactive. */
async function dataOf(file: string): Promise<readonly string[]> {
  return (await readDumpFile(file)).data.filter((row) => !row.includes("hooks.example"));
}

/** Expects that passes still run: a pool with too few numbers gets newly added numbers. */
async function expectPools(api: ApiClient, account: AccountJson | undefined): Promise<void> {
  const { entries: pools } = await api.listPools({ account_id: account?.account_token });
  const lacking = { account_id: account?.account_token, pool_id: pools.find(({ area_code }) => area_code === "9")?.id };
  const numbers = ["+19990000001", "+19990000002"];
  await api.addTrackingNumbers({ tracking_numbers: numbers.map((phone_number) => ({ phone_number, area_code: "9" })) });
  await api.advanceClock({ by: "3600s" });
  const { entries: callTrackers } = await api.listCallTrackers(lacking);
  expect(callTrackers.map(({ tracking_number }) => tracking_number)).toEqual(numbers);
  const { entries: history } = await api.listPoolHistory(lacking);
  expect(history.map(({ kind }) => kind)).toEqual(["added", "added"]);
}
