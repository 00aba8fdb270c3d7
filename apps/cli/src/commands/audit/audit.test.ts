import { expect, test } from "vitest";
import { createPool } from "../../testing/sample-pool.js";
import { startSharedServer } from "../../testing/shared-server.js";

const server = await startSharedServer();
const { run, json } = server;
const pool = await createPool(server, "acme", "--area-code", "222", "--size", "5");
await json("pools", "update", "acme", pool, "--size", "9", "--area-code", "333");

test("lists the changes to an account, newest first", async () => {
  const entries = await json("audit", "list", "acme");
  const methods = ["UpdatePool", "CreatePool", "CreatePhoneNumber", "CreateAccount"];
  expect(entries.map(({ method }) => method)).toStrictEqual(methods);
  expect(entries[0]).toMatchObject({
    actor: { kind: "anonymous", id: null, api_key_prefix: null, issuer: null },
    account_token: "acme",
    resource_type: "pool",
    before: { size: 5, area_code: "222" },
    after: { size: 9, area_code: "333" },
  });
  expect(await json("audit", "list", "acme", "--resource", pool, "--limit", "1")).toStrictEqual([entries[0]]);
  expect(await json("audit", "list", "acme", "--since", "1h", "--until", "2100-01-01T00:00:00Z")).toHaveLength(4);
  for (const nothing of [
    ["--until", "1h"],
    ["--since", "2100-01-01T00:00:00Z"],
    ["--actor", "alice"],
  ])
    expect(await json("audit", "list", "acme", ...nothing)).toStrictEqual([]);
  expect(await json("audit", "list")).toStrictEqual([]);
});

test("shows the changed fields in a table", async () => {
  const { stdout } = await run("audit", "list", "acme", "--limit", "1");
  const [head, line] = stdout.split("\n");
  expect(head).toMatch(/^at +actor +method +resource +changed$/i);
  expect(line).toMatch(/ anonymous +UpdatePool +pool [\da-f-]{36} +area_code "222" > "333", size 5 > 9$/);
});

test("shows new and deleted resources in a table without changed fields", async () => {
  await json("accounts", "create", "deletes");
  const account = ["--account", "deletes"];
  const { id } = await json("webhook-endpoints", "create", "https://crm.example.com/calltrack", ...account);
  await run("webhook-endpoints", "delete", String(id), ...account);
  const { stdout } = await run("audit", "list", "deletes", "--resource", String(id), "--no-header");
  expect(stdout).toMatch(
    new RegExp(
      `^.* DeleteWebhookEndpoint +webhook_endpoint ${id} +-\n.* CreateWebhookEndpoint +webhook_endpoint ${id} +-\n$`,
    ),
  );
});

test("rejects an unknown account, and reports an invalid time as wrong usage", async () => {
  expect((await run("audit", "list", "globex")).stderr).toContain('account "globex" not found');
  const { exitCode, stderr } = await run("audit", "list", "acme", "--since", "lately");
  expect([exitCode, stderr]).toStrictEqual([2, expect.stringContaining("Must be a time such as 30d ago or 2026-")]);
});
