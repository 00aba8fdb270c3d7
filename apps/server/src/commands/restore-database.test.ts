import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { createDataLocation, createEmptyDataLocation } from "../testing/data-location.js";
import { createDumpSource, readDumpFile, writeOldDump } from "../testing/dump-source.js";
import { createJsonClient } from "../testing/json-client.js";
import { newAccount } from "../testing/request-fields.js";
import { runServer, startCommand, startServerProcess } from "../testing/server-process.js";

const source = await createDumpSource();

test("dumps a consistent snapshot of a PostgreSQL database during writes", async () => {
  const { client, folder } = source;
  const child = startCommand(["dump", "-"], source.location.environment);
  // The dump blocks until the test reads its output. The dump has not read the visits yet, because they are in the last table.
  await once(child.stdout, "readable");
  await client.query("insert into visit_events (account_id, event_key) values (1, gen_random_uuid())");
  const file = join(folder, "during.dump");
  await writeFile(file, await buffer(child.stdout));
  await client.query("delete from visit_events");
  expect((await readDumpFile(file)).end).toEqual(source.end);
});

test("leaves no file with the dump's name when it is killed", async () => {
  const { client, folder } = source;
  await client.query("begin; lock table visit_events in access exclusive mode");
  const child = startCommand(["dump", join(folder, "killed.dump")], source.location.environment);
  await expect.poll(() => readdir(folder)).toContain(`killed.dump.${child.pid}.unfinished`);
  child.kill("SIGKILL");
  await once(child, "close");
  await client.query("rollback");
  expect(await readdir(folder)).not.toContain("killed.dump");
});

describe.each(["embedded", "postgres"] as const)("a restore into the %s engine", (engine) => {
  test("leaves the database empty when killed", async () => {
    await using target = await createDataLocation(engine);
    const killed = startCommand(["restore", "-"], target.environment);
    const content = await readFile(source.dump);
    // The callback runs when the restore has read everything except the pipe's buffer, because the content is larger than the buffer.
    await new Promise((resolve) => killed.stdin.write(content.subarray(0, -100), resolve));
    killed.kill("SIGKILL");
    await once(killed, "close");

    const dumping = startCommand(["dump", "-"], source.location.environment);
    const restoring = startCommand(["restore", "-"], target.environment);
    dumping.stdout.pipe(restoring.stdin);
    const dumped = once(dumping, "close");
    const [output] = await Promise.all([text(restoring.stdout), once(restoring, "close")]);
    const rows = Object.values(source.end.rows).reduce((sum, count) => sum + count);
    expect(restoring.exitCode).toBe(0);
    expect(output).toContain(`restored ${rows} rows from `);
    await dumped;
  });
});

test("a restore migrates a dump of an older schema", async () => {
  const file = join(source.folder, "old.dump");
  await writeOldDump(file);
  await using target = await createEmptyDataLocation("postgres");
  const { exitCode, stdout } = await runServer(["restore", file], target.environment);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/schema 0003-pass-leases\napplied 0004-original-numbers, 0005-/);
  await using server = await startServerProcess(target.environment);
  const api = createJsonClient(server.url);
  const [number] = (await api.listPhoneNumbers({ account_id: "7" })).entries;
  expect(number?.phone_number).toBe("+15550001111");
  expect((await newAccount(api)).id).toBe(8);
  // A migration added the registered number to the table of the inventory, so a request cannot add the number again.
  const { refused } = await api.addTrackingNumbers({
    tracking_numbers: [{ phone_number: "+15550001111", area_code: "1" }],
  });
  expect(refused).toHaveLength(1);
});
