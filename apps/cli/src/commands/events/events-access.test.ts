import { expect, test } from "vitest";
import { runCommand, runJson } from "../../testing/run-command.js";
import { createAdminKey, createServerDatabase } from "../../testing/server.js";
import { startSharedServer } from "../../testing/shared-server.js";

const databaseUrl = await createServerDatabase();
const adminKey = await createAdminKey(databaseUrl);
const server = await startSharedServer({ databaseUrl, settings: { AUTH: "keys" } });
const json = (...args: string[]) => runJson(args, { server: server.url, key: adminKey });
await json("accounts", "create", "acme");
await json("accounts", "create", "globex");
const { key } = await json("keys", "create", "--scope", "read", "--account", "acme");

const commands = [["list"], ["watch", "--since", "1h", "--limit", "1"]];

test.each(commands)(
  "events %s shows a key that is bound to an account only the events of that account",
  async (...command) => {
    const run = (...args: string[]) =>
      runCommand(["events", ...command, ...args], { server: server.url, key: String(key) });
    const own = await run("acme");
    expect(own.exitCode, own.stderr).toBe(0);
    expect(
      own.stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ type: "account.created", account_token: "acme" }]);
    expect(await run("globex")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('account "globex" not found'),
    });
    expect(await run()).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(/bound to (?:an|one) account/),
    });
  },
);

test.each(commands)("events %s says how to authenticate", async (...command) => {
  const { exitCode, stderr } = await runCommand(["events", ...command], { server: server.url });
  expect([exitCode, stderr]).toStrictEqual([1, expect.stringContaining("Pass a key with --key or CALLTRACK_KEY")]);
});
