import { expect } from "vitest";
import { pollUntil } from "./poll-until.js";
import { runCommand } from "./run-command.js";
import type { SharedServer } from "./shared-server.js";

/** The original number of all sample pools. */
const SAMPLE_NUMBER = "+12223334444";

const FLAGS = ["--area-code", "415", "--size", "1", "--type", "manual", "--dni", "--no-prompted", "--no-recorded"];

/** Creates an account with a phone number and a pool, and returns the pool's id. See {@link addPool}. */
export async function createPool(server: SharedServer, account: string, ...options: string[]): Promise<string> {
  await createAccount(server, account);
  return await addPool(server, account, ...options);
}

/** Creates an account with a phone number. */
export async function createAccount({ json }: SharedServer, account: string): Promise<void> {
  await json("accounts", "create", account);
  await json("numbers", "add", account, SAMPLE_NUMBER);
}

/** Creates another pool for the number of an account, and returns its id. The options override those of a manual pool of size 1. */
export async function addPool({ json }: SharedServer, account: string, ...options: string[]): Promise<string> {
  const { id } = await json("pools", "create", account, "--number", SAMPLE_NUMBER, ...FLAGS, ...options);
  return String(id);
}

/** Adds 10 numbers to the inventory, creates an account and a pool as {@link createPool} does, and waits for the pool's call trackers. */
export async function createFilledPool(
  server: SharedServer,
  account: string,
  areaCode: string,
  size: number,
  ...options: string[]
): Promise<string> {
  await addInventory(server, areaCode, 10);
  const pool = await createPool(server, account, "--area-code", areaCode, "--size", String(size), ...options);
  await pollUntil(async () => (await server.json("trackers", "list", account, pool)).length === size);
  return pool;
}

/** Adds numbers to the inventory, each with `+1`, the area code and 7 digits. */
export async function addInventory({ url }: SharedServer, areaCode: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => `+1${areaCode}${5_550_000 + index},${areaCode}\n`);
  const input = `phone_number,area_code\n${rows.join("")}`;
  expect(await runCommand(["inventory", "import", "-"], { server: url, input })).toMatchObject({ exitCode: 0 });
}
