import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { expect, inject, test } from "vitest";
import { readConfig } from "../config/config.js";
import { ConfigError } from "../config/config-error.js";
import { findAccessible, withoutUmask } from "../testing/accessible-files.js";
import { createDataLocation } from "../testing/data-location.js";
import { createEarlierDataLocation } from "../testing/earlier-layout.js";
import { expectFailure } from "../testing/expect-failure.js";
import { createJsonClient } from "../testing/json-client.js";
import { newAccount, newPool } from "../testing/request-fields.js";
import { runServer, startServerProcess } from "../testing/server-process.js";
import { backUpDatabase } from "./back-up-database.js";

const folder = createFolder();

test("a backup contains exactly the data at its time, even after the server was killed and if PostgreSQL's folder is a link to another disk, and sends no webhooks", async () => {
  await using location = await createDataLocation("embedded");
  const { DATA_DIR = "" } = location.environment;
  const [disk, backup] = [`${DATA_DIR}.disk`, join(folder, "backup")];
  await rename(join(DATA_DIR, "postgres"), disk);
  await symlink(disk, join(DATA_DIR, "postgres"));
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
    stdout: `backed up ${DATA_DIR} to ${backup}\n`,
    stderr: "",
  });
  await using second = await startServerProcess(location.environment);
  await newAccount(createJsonClient(second.url));
  const name = { account_id: account.account_token, webhook_endpoint_id: webhook_endpoint.id };
  expect(await createJsonClient(second.url).getWebhookEndpoint(name)).toMatchObject({ is_active: true });
  await second.stop("SIGKILL");
  await rm(disk, { recursive: true });

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

test("a backup of a folder of an earlier release contains the journals of phone calls, is readable only by its owner, and its name may end in a slash", async () => {
  await using location = await createEarlierDataLocation();
  const [from, backup] = [`${location.environment.DATA_DIR}/telephony`, join(folder, "journals/")];
  const name = `${randomUUID()}-000000001.journal`;
  await mkdir(from);
  await writeFile(join(from, name), "entries", { mode: 0o600 });
  await writeFile(join(from, `${randomUUID()}.lock`), "");
  const end = await withoutUmask(() => runServer(["backup", backup], location.environment));
  expect(end).toMatchObject({ exitCode: 0, stderr: "" });
  expect((await stat(backup)).mode & 0o777).toBe(0o700);
  expect(findAccessible(backup)).toEqual([]);
  expect((await readdir(backup)).toSorted()).toEqual(["postgres", "telephony"]);
  expect(await readdir(join(backup, "telephony"))).toEqual([name]);
  expect(await readFile(join(backup, "telephony", name), "utf8")).toBe("entries");
});

const MEMORY = { DATA_DIR: "memory://" };
const MIGRATED = { DATA_DIR: inject("migratedDirectory") };

test.each<[what: string, name: string | undefined, environment: Record<string, string>, message: string]>([
  ["of PostgreSQL", "x", { DATABASE_URL: "postgres://u:secret@localhost/x" }, "DATABASE_URL must be unset for backup"],
  ["of a database in memory", "x", MEMORY, "DATA_DIR must be the folder of the database"],
  ["of a folder without a database", "x", { DATA_DIR: tmpdir() }, "DATA_DIR must be the folder of the database"],
  ["to no folder", undefined, MIGRATED, "backup needs the name of a new folder"],
  ["to an existing folder", folder, MIGRATED, "backup must create the folder itself"],
])("refuses a backup %s", async (_, name, environment, message) => {
  const { signal } = new AbortController();
  const error = await backUpDatabase(readConfig(environment), name, signal).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toContain(message);
  expect(String(error)).not.toContain("secret");
});
