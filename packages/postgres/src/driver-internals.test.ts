import { Socket } from "node:net";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import {
  onServerParameter,
  openCancelConnection,
  socketOf,
  takeOverSocket,
  toWireValue,
  UNREACHABLE_MESSAGE,
} from "./driver-internals.js";

/** Undocumented behavior of `pg` that this package relies on. A failure means that a release of `pg` changed it. */
describe("pg", () => {
  let client: pg.Client;
  const parameters = new Map<string, string>();

  beforeEach(async () => {
    client = new pg.Client({ connectionString: inject("postgresUrl") });
    client.on("error", () => {});
    parameters.clear();
    onServerParameter(client, (name, value) => parameters.set(name, value));
    await client.connect();
  });

  afterEach(() => client.end());

  test("reports the server's parameters before it is connected", () => {
    expect(parameters.get("in_hot_standby")).toBe("off");
    expect(parameters.get("default_transaction_read_only")).toBe("off");
  });

  test("reads from a socket with one listener, which can be replaced", async () => {
    const socket = socketOf(client);
    expect(socket).toBeInstanceOf(Socket);
    expect(socket.listenerCount("data")).toBe(1);
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    takeOverSocket(client, resolve);
    // A Sync, which the server answers with ReadyForQuery.
    socket.write(Buffer.from([0x53, 0, 0, 0, 4]));
    expect(await promise).toEqual(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]));
  });

  test("knows the key of its session, and cancels its statement over another connection", async () => {
    const { promise: cancelled, resolve } = Promise.withResolvers<unknown>();
    let isRunning = true;
    client.query("select pg_sleep(60)").catch((error) => {
      isRunning = false;
      resolve(error);
    });
    // A request that arrives before the statement cancels nothing.
    while (isRunning) await closed(openCancelConnection(client) as pg.Connection);
    expect(await cancelled).toMatchObject({ code: "57014" });
    expect(openCancelConnection(new pg.Client())).toBeUndefined();
  });

  test("sends values in the text form of their types", () => {
    expect(["text", 7, 0.5, true, null, undefined].map(toWireValue)).toEqual(["text", "7", "0.5", "true", null, null]);
    expect(toWireValue([1, null, 'a"b'])).toBe('{"1",NULL,"a\\"b"}');
    expect(toWireValue({ a: [1] })).toBe('{"a":[1]}');
    expect(toWireValue(Buffer.from([0, 255]))).toEqual(Buffer.from([0, 255]));
    const sent = toWireValue(new Date("2026-01-02T03:04:05.678Z")) as string;
    expect(new Date(sent)).toEqual(new Date("2026-01-02T03:04:05.678Z"));
  });

  test("reports lost connections, closed clients and exhausted pools by known messages", async () => {
    const lost = client.query("select pg_sleep(60)");
    const rejected = expect(lost).rejects.toThrow(UNREACHABLE_MESSAGE);
    socketOf(client).destroy();
    await rejected;
    await expect(client.query("select")).rejects.toThrow(UNREACHABLE_MESSAGE);

    const pool = new pg.Pool({ connectionString: inject("postgresUrl"), max: 1 });
    const held = await pool.connect();
    // Set after the first connection, which may take longer on a busy machine.
    pool.options.connectionTimeoutMillis = 50;
    await expect(pool.connect()).rejects.toThrow(UNREACHABLE_MESSAGE);
    held.release();
    await pool.end();
  });
});

function closed(connection: pg.Connection): Promise<void> {
  return new Promise((resolve) => connection.on("end", resolve));
}
