import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCli, startCli } from "../../testing/cli.js";
import { pollUntil } from "../../testing/poll-until.js";
import { createFilledPool } from "../../testing/sample-pool.js";
import { startSharedServer } from "../../testing/shared-server.js";

const server = await startSharedServer();
const { run, json, refusal } = server;
const pool = await createFilledPool(server, "acme", "222", 1, "--area-code", "222");
await json("accounts", "create", "globex");
await json("accounts", "disable", "globex");

/** Lists events, and reads the cursor in the hint on stderr. */
async function list(...args: string[]) {
  const { exitCode, stdout, stderr } = await run("events", "list", ...args);
  expect(exitCode, stderr).toBe(0);
  const [, cursor = ""] = /^Continue with --cursor (\S+)\n$/.exec(stderr) ?? [];
  const events = stdout.trimEnd().split("\n").filter(Boolean);
  return { events: events.map((line): Record<string, unknown> => JSON.parse(line)), cursor };
}

const typesOf = (events: readonly Record<string, unknown>[]) => events.map(({ type }) => type);

describe("events list", () => {
  test("lists the events of an account, oldest first, with the resources", async () => {
    const { events } = await list("acme");
    expect(typesOf(events)).toStrictEqual([
      "account.created",
      "phone_number.created",
      "pool.created",
      "call_tracker.added",
    ]);
    expect(events[0]).toMatchObject({ account_token: "acme", account: await json("accounts", "get", "acme") });
    expect(events[2]).toMatchObject({ subject: `/dni_manager/accounts/acme/pools/${pool}` });
    expect(Object.keys(events[2] ?? {})).not.toContain("account");
  });

  test("lists the events of all accounts and of no account", async () => {
    const { events } = await list();
    expect(new Set(events.map(({ account_token }) => account_token))).toStrictEqual(new Set([null, "acme", "globex"]));
    expect(typesOf(events)).toContain("tracking_number.added");
  });

  test("selects events by type, time and number", async () => {
    expect(typesOf((await list("globex", "--type", "account.*")).events)).toStrictEqual([
      "account.created",
      "account.disabled",
    ]);
    const both = await list("--type", "pool.created", "--type", "account.disabled");
    expect(typesOf(both.events)).toStrictEqual(["pool.created", "account.disabled"]);
    expect((await list("--since", "1h", "--limit", "3")).events).toStrictEqual((await list()).events.slice(0, 3));
    expect((await list("--since", "2100-01-01T00:00:00Z")).events).toStrictEqual([]);
  });

  test("prints a cursor that continues the list, even at the end", async () => {
    const { events, cursor } = await list("acme");
    const first = await list("acme", "--limit", "2");
    const rest = await list("acme", "--cursor", first.cursor);
    expect([...first.events, ...rest.events]).toStrictEqual(events);
    await json("accounts", "disable", "acme");
    await json("accounts", "enable", "acme");
    expect(typesOf((await list("acme", "--cursor", cursor)).events)).toStrictEqual([
      "account.disabled",
      "account.enabled",
    ]);
    expect((await list("acme", "--cursor", "now")).events).toStrictEqual([]);
  });

  test("shows a line for each event in a table", async () => {
    const { stdout } = await run("events", "list", "acme", "--output", "table");
    const [head, ...lines] = stdout.split("\n");
    expect(head).toMatch(/^at +type +account +subject +description$/);
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`Z  pool.created +acme +pools/${pool} +manual, size 1$`)),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/Z {2}call_tracker.added +acme +call_trackers\/[\da-f-]{36} {2}\+12225550000, \S/),
    );
    expect(lines).toContainEqual(expect.stringMatching(/Z {2}account.created +acme +accounts\/acme +-$/));
  });

  test("reports errors", async () => {
    expect(await refusal("events", "list", "--type", "call.begun")).toContain(
      "types[0] must be an event type such as call.ended",
    );
    expect(await refusal("events", "list", "--cursor", "abc")).toContain(
      "the cursor does not belong to this event log",
    );
    expect(await refusal("events", "list", "nobody")).toContain('account "nobody" not found');
    const { exitCode, stderr } = await run("events", "list", "--since", "1h", "--cursor", "abc");
    expect([exitCode, stderr]).toStrictEqual([
      2,
      expect.stringMatching(/--cursor <cursor>' cannot be used with .*--since <time>/),
    ]);
  });
});

describe("events watch", () => {
  /** Starts a watch, and collects its lines. */
  function startWatch(...args: string[]) {
    const cli = startCli(["events", "watch", ...args], { server: server.url });
    onTestFinished(() => void cli.process.kill("SIGKILL"));
    let written = "";
    cli.process.stdout?.on("data", (text) => {
      written += text;
    });
    return {
      ...cli,
      events: () =>
        written
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line)),
    };
  }

  test("prints each change with its cursor, until Ctrl-C", async () => {
    const { cursor } = await list("globex");
    const watch = startWatch("globex", "--cursor", cursor, "--type", "account.*");
    await json("accounts", "enable", "globex");
    await pollUntil(async () => watch.events().length === 1);
    await json("numbers", "add", "globex", "+12223335555");
    await json("accounts", "disable", "globex");
    await pollUntil(async () => watch.events().length === 2);
    watch.process.kill("SIGINT");
    const { exitCode, stderr } = await watch.result;
    expect({ exitCode, stderr }).toStrictEqual({
      exitCode: 0,
      stderr: expect.stringMatching(/^Continue with --cursor \S+\n$/),
    });
    const { events } = await list("globex", "--cursor", cursor, "--type", "account.*");
    expect(watch.events().map(({ id, type }) => [id, type])).toStrictEqual(events.map(({ id, type }) => [id, type]));
    const [first] = watch.events();
    expect((await list("globex", "--cursor", first.cursor, "--type", "account.*")).events).toStrictEqual(
      events.slice(1),
    );
  });

  test("begins with the next event", async () => {
    const watch = startWatch("--type", "account.created");
    let count = 0;
    // It is unknown when the watch begins, so accounts are created until the watch reports one.
    await pollUntil(async () => {
      await json("accounts", "create", `new-${++count}`);
      return watch.events().length > 0;
    });
    expect(watch.events()[0]).toMatchObject({ account_token: expect.stringMatching(/^new-\d+$/) });
  });

  test("ends when the reader of its output ends", async () => {
    const watch = startWatch("--since", "1h");
    await pollUntil(async () => watch.events().length > 0);
    const exit = once(watch.process, "exit");
    const cut = expect(watch.result).rejects.toThrow("Premature close");
    watch.process.stdout?.destroy();
    await json("accounts", "create", "unread");
    await cut;
    expect(await exit).toStrictEqual([0, null]);
  });

  test("ends after --limit events, and shows them in lines of a table", async () => {
    const { exitCode, stdout } = await run("events", "watch", "acme", "--since", "1h", "--limit", "3", "-o", "table");
    expect(exitCode).toBe(0);
    const listed = await run("events", "list", "acme", "--limit", "3", "-o", "table");
    const words = (text: string) => text.split("\n").map((line) => line.split(/ {2,}/));
    expect(words(stdout)).toStrictEqual(words(listed.stdout));
  });

  test.each(["json", "yaml", "csv"])("writes %s", async (format) => {
    const args = ["acme", "--since", "1h", "--limit", "2", "--columns", "id,type", "-o", format];
    const { stdout } = await run("events", "watch", ...args);
    expect(stdout).toBe((await run("events", "list", ...args)).stdout);
  });

  test.each(["--sort", "--query"])("refuses %s, which needs a whole list", async (option) => {
    const { exitCode, stderr } = await run("events", "watch", option, "type");
    expect({ exitCode, stderr }).toStrictEqual({
      exitCode: 2,
      stderr: expect.stringContaining(`${option} needs the whole list`),
    });
  });

  test("reports errors", async () => {
    expect(await refusal("events", "watch", "--cursor", "abc")).toContain(
      "the cursor does not belong to this event log",
    );
    expect(await refusal("events", "watch", "nobody")).toContain('account "nobody" not found');
    expect(await refusal("events", "watch", "--type", "call.begun")).toContain("types[0] must be an event type");
    const unreachable = await runCli(["events", "watch"], { server: "http://127.0.0.1:1" });
    expect(unreachable).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("connection refused") });
  });
});
