import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, dropTestDatabase, type EmbeddedLocation } from "../../testing/test-database.js";
import { openDatabase } from "../open-database.js";
import { ENGINE_WORKER_PATH } from "./engine-files.js";
import type { EngineReply } from "./engine-message.js";

const WRITERS = 8;

let location: EmbeddedLocation;

beforeEach(async () => {
  location = await createTestDatabase("embedded");
});

afterEach(() => dropTestDatabase("embedded", location));

test.each([1, 100])("terminate() after %i of many writes loses no acknowledged write", async (atLeast) => {
  const worker = new Worker(ENGINE_WORKER_PATH, { workerData: location.directory });
  const acknowledged: number[] = [];
  let sent = 0;
  const write = () => {
    const parameters = [`account-${++sent}`];
    worker.postMessage({ id: sent, sql: "insert into accounts (account_token) values ($1)", parameters });
  };
  worker.postMessage({ id: 0, action: "open" });
  for (let writer = 1; writer <= WRITERS; writer++) write();
  worker.on("message", (reply: EngineReply) => {
    if (!("rows" in reply) || reply.id === 0) return;
    acknowledged.push(reply.id);
    write();
    if (acknowledged.length === atLeast) void worker.terminate();
  });
  await once(worker, "exit");

  const { kysely, close } = openDatabase(location);
  const kept = await kysely.selectFrom("accounts").select("account_token").execute();
  await close();
  const tokens = new Set(kept.map(({ account_token }) => account_token));
  expect(acknowledged.length).toBeGreaterThanOrEqual(atLeast);
  for (const id of acknowledged) expect(tokens).toContain(`account-${id}`);
});

describe("an error is passed to the main thread", () => {
  test("with the fields by which it is recognized", async () => {
    const { kysely, close } = openDatabase(location);
    const { id } = await kysely
      .insertInto("accounts")
      .values({ account_token: "acme" })
      .returning("id")
      .executeTakeFirstOrThrow();
    const handle = { handle: "acme", account_id: id, account_token: "acme" };
    const insert = () => kysely.insertInto("account_handles").values(handle).execute();
    await insert();
    const error = await insert().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      code: "23505",
      constraint: "account_handles_pkey",
      severity: "ERROR",
      table: "account_handles",
      schema: "public",
      detail: "Key (handle)=(acme) already exists.",
      message: expect.stringContaining("duplicate key value violates unique constraint"),
    });
    await close();
  });

  test("if a parameter cannot be encoded", async () => {
    const { kysely, close } = openDatabase(location);
    await expect(sql`select ${"x"}::bytea, ${5}::bytea`.execute(kysely)).rejects.toThrow(Error);
    await close();
  });
});
