import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { OutputRow } from "../output/output-row.js";
import { type RunningCli, startCli } from "../testing/cli.js";
import { createFolder } from "../testing/create-folder.js";
import { manyPools } from "../testing/many-pools.js";
import { pollUntil } from "../testing/poll-until.js";
import { runCommand, runJson } from "../testing/run-command.js";
import { createServerDatabase, startServer } from "../testing/server.js";

const COUNT = 300;

/** Several times as many pools as can be in flight, so that an import that has made some progress is far from its end. */
const POOL_COUNT = 1000;

const NUMBER = "+12223334444";

const folder = createFolder();
const databaseUrl = await createServerDatabase();
let server = await startServer({ databaseUrl });
await writeFile(join(folder, "pools.csv"), manyPools(NUMBER, POOL_COUNT));
const numbers = Array.from({ length: COUNT }, (_, index) => `+1415${index + 1_000_000}\n`);
await writeFile(join(folder, "numbers.csv"), `phone_number\n${numbers.join("")}`);
afterAll(() => server.stop());

async function createAccount(account: string): Promise<void> {
  await runCommand(["accounts", "create", account], { server: server.url });
  await runCommand(["numbers", "add", account, NUMBER], { server: server.url });
}

function startImport(noun: string, account: string, ...options: string[]): RunningCli {
  const file = join(folder, `${noun}.csv`);
  return startCli([noun, "import", account, file, "-o", "json", "--retries", "2", ...options], { server: server.url });
}

async function importAgain(noun: string, account: string): Promise<unknown> {
  return await runJson([noun, "import", account, join(folder, `${noun}.csv`)], { server: server.url });
}

async function list(noun: string, account: string, ...options: string[]): Promise<OutputRow[]> {
  return await runJson([noun, "list", account, ...options], { server: server.url });
}

/** Waits until an import has created some pools or numbers, but not nearly all. */
async function waitForProgress(noun: string, account: string): Promise<void> {
  await pollUntil(async () => (await list(noun, account, "--limit", "100")).length === 100);
}

async function expectEachPoolOnce(account: string): Promise<void> {
  const descriptions = (await list("pools", account)).map((pool) => String(pool.description));
  expect(descriptions.sort()).toStrictEqual(Array.from({ length: POOL_COUNT }, (_, index) => `pool ${index}`).sort());
}

test("a pool import that loses its server can be repeated without gaps or duplicates", async () => {
  await createAccount("lost");
  const cli = startImport("pools", "lost");
  await waitForProgress("pools", "lost");
  await server.stop("SIGKILL");
  const { exitCode, stdout, stderr } = await cli.result;
  const { created, rows, unanswered } = JSON.parse(stdout);
  expect(exitCode).toBe(3);
  expect(created + unanswered).toBe(rows);
  expect(stderr).toMatch(
    new RegExp(
      `^error: no response from .*\n.*\n {2}the import stopped after ${created} rows? w(?:as|ere) acknowledged: .*\n$`,
    ),
  );

  server = await startServer({ databaseUrl });
  const stored = (await list("pools", "lost")).length;
  expect(stored).toBeGreaterThanOrEqual(created);
  expect(stored).toBeLessThanOrEqual(rows);
  expect(await importAgain("pools", "lost")).toMatchObject({
    rows: POOL_COUNT,
    already_there: stored,
    created: POOL_COUNT - stored,
  });
  await expectEachPoolOnce("lost");
});

test("Ctrl-C finishes requests in flight, reports and exits with 130", async () => {
  await createAccount("stopped");
  const cli = startImport("pools", "stopped", "--concurrency", "1");
  await waitForProgress("pools", "stopped");
  cli.process.kill("SIGINT");
  const { exitCode, stdout, stderr } = await cli.result;
  const { created, rows, unanswered } = JSON.parse(stdout);
  expect(exitCode).toBe(130);
  // On a busy machine, the request in flight can take longer than an interrupted import waits. Its rows are then unanswered.
  expect(created + unanswered).toBe(rows);
  expect(rows).toBeLessThan(POOL_COUNT);
  expect(stderr).toMatch(/^error: interrupted\n {2}the import stopped after \d+ rows? w(?:as|ere) acknowledged: .*\n$/);
  const stored = (await list("pools", "stopped")).length;
  expect(stored).toBeGreaterThanOrEqual(created);
  expect(stored).toBeLessThanOrEqual(rows);
  await importAgain("pools", "stopped");
  await expectEachPoolOnce("stopped");
});

test("a number import that loses its server can be repeated", async () => {
  await createAccount("numbers");
  const cli = startImport("numbers", "numbers");
  await waitForProgress("numbers", "numbers");
  await server.stop("SIGKILL");
  expect(await cli.result).toMatchObject({ exitCode: 3 });
  server = await startServer({ databaseUrl });
  expect(await importAgain("numbers", "numbers")).toMatchObject({ rows: COUNT, refused: 0, unanswered: 0 });
  expect(await list("numbers", "numbers")).toHaveLength(COUNT + 1);
});
