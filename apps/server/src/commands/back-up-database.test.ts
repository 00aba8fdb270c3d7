import { randomUUID } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { expect, test } from "vitest";
import { createDataLocation } from "../testing/data-location.js";
import { expectFailure } from "../testing/expect-failure.js";
import { createJsonClient } from "../testing/json-client.js";
import { newAccount, newPool } from "../testing/request-fields.js";
import { runServer, startServerProcess } from "../testing/server-process.js";

const folder = createFolder();

test("a backup contains exactly the data at its time, even after the server was killed, and sends no webhooks", async () => {
  await using location = await createDataLocation("embedded");
  const backup = join(folder, "backup");
  // Without SECRETS_KEY, the server creates a key file, which the backup must contain.
  const { SECRETS_KEY: _, ...environment } = location.environment;
  await using first = await startServerProcess(environment);
  const { account, pool } = await newPool(createJsonClient(first.url));
  const system = { name: "PBX", kind: "sip", fallback_number: "+14155550100" };
  const { phone_system } = await createJsonClient(first.url).createPhoneSystem(system);
  const hook = { account_id: account.account_token, url: "https://hooks.example/" };
  const { webhook_endpoint } = await createJsonClient(first.url).createWebhookEndpoint(hook);
  const refused = await runServer(["backup", backup], location.environment);
  expectFailure(refused, 2, /DATA_DIR [^\n]+ is in use by another server/);
  expect(await readdir(folder)).toEqual([]);
  await first.stop("SIGKILL");

  expect(await runServer(["backup", backup], location.environment)).toEqual({
    exitCode: 0,
    stdout: `backed up ${location.environment.DATA_DIR} to ${backup}\n`,
    stderr: "",
  });
  await using second = await startServerProcess(location.environment);
  await newAccount(createJsonClient(second.url));
  const name = { account_id: account.account_token, webhook_endpoint_id: webhook_endpoint.id };
  expect(await createJsonClient(second.url).getWebhookEndpoint(name)).toMatchObject({ is_active: true });

  await using restored = await startServerProcess({ DATA_DIR: backup });
  const api = createJsonClient(restored.url);
  expect((await api.listAccounts()).entries).toEqual([account]);
  expect((await api.listPools({ account_id: account.account_token })).entries).toEqual([pool]);
  expect((await api.listPhoneSystems()).entries).toEqual([phone_system]);
  expect(await api.getWebhookEndpoint(name)).toMatchObject({
    ...{ is_active: false, inactive_reason: "the endpoint was restored from a backup" },
    secrets: [{ is_readable: true }],
  });
  expect((await newAccount(api)).id).toBeGreaterThan(account.id);
});

test("a backup contains the journals of phone calls, and its name may end in a slash", async () => {
  await using location = await createDataLocation("embedded");
  const [from, backup] = [`${location.environment.DATA_DIR}/telephony`, join(folder, "journals/")];
  const name = `${randomUUID()}-000000001.journal`;
  await mkdir(from);
  await writeFile(join(from, name), "entries");
  await writeFile(join(from, `${randomUUID()}.lock`), "");
  expect(await runServer(["backup", backup], location.environment)).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await readdir(join(backup, "telephony"))).toEqual([name]);
  expect(await readFile(join(backup, "telephony", name), "utf8")).toBe("entries");
});

test.each<[what: string, args: string[], environment: Record<string, string>, line: string]>([
  ["PostgreSQL", ["x"], { DATABASE_URL: "postgres://u:secret@localhost/x" }, "DATABASE_URL must be unset for backup"],
  ["a database in memory", ["x"], { DATA_DIR: "memory://" }, "DATA_DIR must be the folder of the database"],
  ["a folder without a database", ["x"], { DATA_DIR: tmpdir() }, "DATA_DIR must be the folder of the database"],
])("refuses to back up %s, in one line and with exit code 2", async (_, args, environment, line) => {
  const end = await runServer(["backup", ...args], environment);
  expectFailure(end, 2, line);
  expect(end.stderr).not.toContain("secret");
});

test.each([
  ["no folder", () => [], "backup needs the name of a new folder"],
  ["an existing folder", () => [folder], "backup must create the folder itself"],
])("refuses to back up to %s, in one line and with exit code 2", async (_, args, line) => {
  await using location = await createDataLocation("embedded");
  expectFailure(await runServer(["backup", ...args()], location.environment), 2, line);
});

test("PostgreSQL's folder can be a link to another disk, and a backup contains its files", async () => {
  await using location = await createDataLocation("embedded");
  const { DATA_DIR = "" } = location.environment;
  const [disk, backup] = [join(folder, "disk"), join(folder, "of-link")];
  await cp(join(DATA_DIR, "postgres"), disk, { recursive: true });
  await rm(join(DATA_DIR, "postgres"), { recursive: true });
  await symlink(disk, join(DATA_DIR, "postgres"));
  await using server = await startServerProcess(location.environment);
  const account = await newAccount(createJsonClient(server.url));
  await server.stop();

  expect(await runServer(["backup", backup], location.environment)).toMatchObject({ exitCode: 0, stderr: "" });
  await rm(disk, { recursive: true });
  await using restored = await startServerProcess({ DATA_DIR: backup });
  expect((await createJsonClient(restored.url).listAccounts()).entries).toEqual([account]);
});
