import { expect, test } from "vitest";
import { runCommand, runJson } from "../../testing/run-command.js";
import { createAdminKey, createServerDatabase } from "../../testing/server.js";
import { startSharedServer } from "../../testing/shared-server.js";

const databaseUrl = await createServerDatabase();
const adminKey = await createAdminKey(databaseUrl);
const { url } = await startSharedServer({ databaseUrl, settings: { AUTH: "keys" } });
const json = (...args: string[]) => runJson(args, { server: url, key: adminKey });
await json("accounts", "create", "acme");
await json("accounts", "create", "globex");

/** Runs a subcommand with a new key that is restricted to an account. */
async function runAs(scope: string, ...args: string[]) {
  const { key } = await json("keys", "create", "--scope", scope, "--account", "acme");
  return await runCommand(["webhook-endpoints", ...args], { server: url, key: String(key) });
}

const CREATE = ["create", "https://crm.example.com/calltrack"];

test("a key that is bound to an account administers the webhook endpoints of that account only", async () => {
  expect(await runAs("admin", ...CREATE, "--account", "acme")).toMatchObject({ exitCode: 0 });
  const foreign = await runAs("admin", ...CREATE, "--account", "globex");
  expect(foreign).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('account "globex" not found') });
  const all = await runAs("admin", ...CREATE);
  expect(all).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/bound to (?:an|one) account/) });
});

test("listen needs only the scope read, and other commands need admin", async () => {
  const options = ["--forward-to", "http://127.0.0.1:1/", "--account", "acme", "--since", "1h", "--limit", "1"];
  expect(await runAs("read", "listen", ...options)).toMatchObject({ exitCode: 0 });
  expect(await runAs("read", "list", "--account", "acme")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("admin"),
  });
});

test("listen says how to authenticate", async () => {
  const { exitCode, stderr } = await runCommand(
    ["webhook-endpoints", "listen", "--forward-to", "http://127.0.0.1:1/"],
    { server: url },
  );
  expect([exitCode, stderr]).toStrictEqual([1, expect.stringContaining("Pass a key with --key or CALLTRACK_KEY")]);
});
