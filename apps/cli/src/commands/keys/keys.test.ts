import { expect, test } from "vitest";
import { type CliResult, runCli } from "../../testing/cli.js";
import { runCommand, runJson } from "../../testing/run-command.js";
import { createAdminKey, createServerDatabase } from "../../testing/server.js";
import { startSharedServer } from "../../testing/shared-server.js";

const databaseUrl = await createServerDatabase();
const adminKey = await createAdminKey(databaseUrl);
const server = await startSharedServer({ databaseUrl, settings: { AUTH: "keys" } });

function run(key: string | undefined, ...args: string[]): Promise<CliResult> {
  return runCommand(args, { server: server.url, key });
}

function json(...args: string[]) {
  return runJson(args, { server: server.url, key: adminKey });
}

test("reads the key from the environment or an option", async () => {
  const refused = { exitCode: 1, stdout: "" };
  expect(await run(undefined, "accounts", "list")).toMatchObject({
    ...refused,
    stderr:
      "error: authentication required: send an API key or access token in an Authorization: Bearer header\n" +
      "  Pass a key with --key or CALLTRACK_KEY, or save one with calltrack login.\n",
  });
  const runWith = (key: string, ...options: string[]) =>
    runCli(["accounts", "list", ...options], { server: server.url, environment: { CALLTRACK_KEY: key } });
  expect(await runWith(`${adminKey}x`)).toMatchObject(refused);
  expect(await runWith(adminKey)).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await runWith("ct_another", "--key", adminKey)).toMatchObject({ exitCode: 0, stderr: "" });
});

test.each(["grpc", "connect", "grpc-web"])("sends the key over %s", async (protocol) => {
  // Runs the built program, because the bundle contains its own copies of the protocol libraries.
  const args = ["accounts", "list", "--protocol", protocol, "--key", adminKey];
  expect(await runCli(args, { server: server.url })).toMatchObject({ exitCode: 0 });
});

test("whoami shows the credential, its scopes, account and expiry", async () => {
  await json("accounts", "create", "who");
  const options = ["--scope", "read", "dni", "--account", "who", "--description", "tries", "--expires", "90d"];
  const { key, id, expires_at } = await json("keys", "create", ...options);
  const { stdout, exitCode } = await run(String(key), "whoami", "--output", "json");
  expect({ exitCode, ...JSON.parse(stdout) }).toStrictEqual({
    ...{ exitCode: 0, credential: "api_key", id, description: "tries", issuer: null, scopes: ["read", "dni"] },
    ...{ account_token: "who", expires_at },
  });
  expect((await run(adminKey, "whoami")).stdout).toMatch(/credential +api_key\n(?:.*\n)*scopes +admin\n/);
  expect((await run(undefined, "whoami")).stderr).toContain("authentication required");
});

test("create, use, get, list and revoke", async () => {
  await json("accounts", "create", "acme");
  const scope = ["--scope", "read", "write", "--scope", "dni"];
  const options = ["--account", "acme", "--description", "tries", "--expires", "90d"];
  const { key, ...shown } = await json("keys", "create", ...scope, ...options);
  expect(key).toMatch(/^ct_[0-9a-z]{12}_[0-9A-Za-z]{49}$/);
  expect(shown).toMatchObject({ scopes: ["read", "write", "dni"], account_token: "acme", description: "tries" });
  const days = (Date.parse(String(shown.expires_at)) - Date.parse(String(shown.created_at))) / 86_400_000;
  expect(Math.round(days)).toBe(90);
  expect(await json("keys", "get", String(shown.id))).toStrictEqual(shown);
  expect(await json("keys", "list", "--account", "acme")).toStrictEqual([shown]);
  expect(await json("keys", "list")).toContainEqual(shown);
  expect((await run(String(key), "pools", "list", "acme")).exitCode).toBe(0);
  expect((await run(String(key), "pools", "list", "globex")).stderr).toContain('account "globex" not found');
  expect((await run(String(key), "keys", "list")).stderr).toBe(
    "error: the caller lacks the scope admin: use a key or token that has it\n  scope: admin\n",
  );
  const revoked = await json("keys", "revoke", String(shown.id));
  expect(revoked).toStrictEqual({ ...shown, revoked_at: expect.any(String), last_used_at: revoked.last_used_at });
  await expect
    .poll(async () => (await run(String(key), "pools", "list", "acme")).stderr)
    .toMatch(/^error: the API key was revoked at \S+: use another key\n {2}Pass a key .*\n$/);
});

test("the audit log attributes the first key to the operator", async () => {
  const first = (await json("audit", "list")).at(-1);
  expect(first).toMatchObject({ method: "create-admin-key", actor: { kind: "operator" }, before: null });
  const entries = await json("audit", "list", "acme", "--actor", String(first?.resource_id), "--limit", "1");
  expect(entries).toMatchObject([{ method: "RevokeApiKey", actor: { api_key_prefix: adminKey.slice(0, 15) } }]);
});

test("shows scopes as words in a table", async () => {
  const options = ["--scope", "read", "dni", "--expires", "2100-01-01T00:00:00Z"];
  const { stdout } = await run(adminKey, "keys", "create", ...options);
  expect(stdout).toMatch(/^scopes +read, dni$/m);
  expect(stdout).toMatch(/^expires_at +2100-01-01 00:00:00Z$/m);
  expect(stdout).toMatch(/^key +ct_\w+$/m);
});

test.each([
  [["create"], "required option '--scope <scopes...>' not specified"],
  [["create", "--scope", "all"], "Allowed choices are read, write, admin, dni, calls."],
  [
    ["create", "--scope", "read", "--expires", "soon"],
    "Must be a time such as 90d (from now) or 2027-11-20T00:00:00Z.",
  ],
])("keys %j is wrong usage", async (args, text) => {
  const { exitCode, stderr } = await run(undefined, "keys", ...args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(text);
});

test.each(["two words", 'a"b', "é", "a\nb"])("rejects the malformed key %o without printing it", async (key) => {
  const stderr = "error: the key is malformed: pass an API key or an access token\n";
  const told = { exitCode: 2, stdout: "", stderr };
  expect(await run(key, "accounts", "list")).toStrictEqual(told);
  expect(await run(undefined, "accounts", "list", "--key", key)).toStrictEqual(told);
});
