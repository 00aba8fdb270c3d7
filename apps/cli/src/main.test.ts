import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { cliPath, runCli, startCli } from "./testing/cli.js";
import { createFolder } from "./testing/create-folder.js";
import { createFailingMethod, startFaultyServer, unavailableError } from "./testing/faulty-server.js";
import { pollUntil } from "./testing/poll-until.js";
import { runCommand } from "./testing/run-command.js";

describe("wrong usage exits with 2 and a one-line error", () => {
  test.each([
    ["--bogus", "unknown option '--bogus'"],
    ["accounts bogus", "unknown command 'bogus'"],
    ["accounts lst", "unknown command 'lst'"],
    ["accounts create", "missing required argument 'token'"],
    ["accounts create a b", "too many arguments"],
    ["help pools craete", 'unknown command "craete": run calltrack pools --help for a list'],
    ["accounts list --limit 0", "Must be a positive integer."],
    ["accounts list --output xml", "Allowed choices are table, json, ndjson, csv, yaml."],
    ["accounts list --protocol http", "Allowed choices are grpc, connect, grpc-web."],
    ["accounts list --retries -1", "Must be an integer between 0 and 100."],
    ["accounts list --timeout 10", "Must be a duration such as 500ms, 10s or 2m."],
    ["accounts list --server localhost:8080", "Must be a URL such as http://127.0.0.1:8080."],
    ["accounts list --server http://:secret@127.0.0.1:8080", "Must be a URL such as http://127.0.0.1:8080."],
    ["pools create acme", "required option '--number <number>' not specified"],
    ["pools create acme --type auto", "Allowed choices are manual, automanaged, automated."],
    ["pools update acme x --size many", "Must be an integer."],
    ["pools update acme x --utilization half", "Must be a number."],
    ["pools import acme nowhere.csv", "nowhere.csv cannot be read: no such file or directory"],
    ["pools import acme pools.txt", "set the format with --format"],
    ["pools import acme . --format csv", "is a directory"],
    ["pools explain acme", "missing required argument 'pool'"],
    ["trackers flag acme x", "missing required argument 'tracker'"],
    ["inventory list --state gone", "Allowed choices are free, resting, assigned, retiring, retired."],
    ["inventory import nowhere.csv", "nowhere.csv cannot be read: no such file or directory"],
    ["clock advance 3w", "Must be a duration such as 30d, 12h, 90m or 60s."],
    ["accounts list --timeout 30d", "Must be a duration such as 500ms, 10s or 2m."],
    ["visits record acme", "required option '--property <token>' not specified"],
    ["visits record acme --at today", "Must be a time such as 2026-11-21T08:30:00Z."],
    ["visits record acme --count 0", "Must be a positive integer."],
    ["completion tcsh", "Allowed choices are bash, zsh, fish."],
  ])("%s", async (line, text) => {
    const { exitCode, stdout, stderr } = await runCommand(line.split(" "), { server: "http://127.0.0.1:1" });
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(/^error: .*\n(\(Did you mean .*\?\)\n)?$/);
    expect(stderr).toContain(text);
  });

  test("shows the help without a command", async () => {
    const { exitCode, stdout, stderr } = await runCli([]);
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("Usage: calltrack [options] [command]");
  });

  test("ignores empty environment variables", async () => {
    const { url } = await startFaultyServer({ accounts: { listAccounts: () => ({}) } });
    const names = ["SERVER", "KEY", "PROFILE", "CA", "CERT", "CERT_KEY"].map((name) => [`CALLTRACK_${name}`, ""]);
    const environment = Object.fromEntries(names);
    const { exitCode, stderr } = await runCli(["accounts", "list", "--server", url], { environment });
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
    const { stdout } = await runCli(["options"], { environment });
    expect(stdout).toContain("env: CALLTRACK_SERVER");
    expect(await runCli(["completion", "bash"], { environment })).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("names an invalid environment variable", async () => {
    const { exitCode, stderr } = await runCli(["accounts", "list"], { server: "nowhere" });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("CALLTRACK_SERVER");
  });
});

test("--version and --help exit with 0", async () => {
  expect(await runCli(["--version"])).toStrictEqual({ exitCode: 0, stdout: "0.1.0\n", stderr: "" });
  const { exitCode, stdout } = await runCli(["pools", "import", "--help"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Repeated imports:");
});

test("help shows any command as --help does, and refers to the global options", async () => {
  const [help, option] = await Promise.all([
    runCommand(["help", "pools", "create"]),
    runCommand(["pools", "create", "--help"]),
  ]);
  expect(help).toStrictEqual({ ...option, exitCode: 0, stderr: "" });
  expect(help.stdout).toMatch(/^Usage: calltrack pools create \[options\] <account>\n/);
  expect(help.stdout).toMatch(/\nGlobal options, such as --server and --key: calltrack options\n$/);
  expect(help.stdout).not.toContain("--retries");
  expect((await runCommand(["help"])).stdout).toMatch(/^Usage: calltrack \[options\] \[command\]\n/);
});

test("options lists the global options", async () => {
  const { exitCode, stdout } = await runCommand(["options"]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^ {2}-V, --version .*\n {2}--server <url> /);
});

describe("a missing response exits with 3", () => {
  const protocols = ["grpc", "connect", "grpc-web"];

  test.each(protocols)("connection refused, over %s", async (protocol) => {
    const { url, close } = await startFaultyServer();
    close();
    const args = ["accounts", "list", "--protocol", protocol, "--retries", "0"];
    const { exitCode, stdout, stderr } = await runCommand(args, { server: url });
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 3, stdout: "" });
    expect(stderr).toBe(
      `error: no response from ${url}: connection refused\n` +
        "  Start the service, or set its URL with --server or CALLTRACK_SERVER.\n",
    );
  });

  test.each(protocols)("a host that does not exist, over %s", async (protocol) => {
    const server = "http://no-such-host.invalid";
    const { exitCode, stderr } = await runCommand(["accounts", "list", "--protocol", protocol], { server });
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(
      /^error: no response from http:\/\/no-such-host\.invalid: (unknown host name|host name lookup failed)\n/,
    );
  });

  test("a server of another kind", async () => {
    const { url } = await startFaultyServer();
    const { exitCode, stderr } = await runCommand(["accounts", "list"], { server: `${url}/elsewhere` });
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/^error: \S+ is not Calltrack: /);
  });

  test("an unavailable service", async () => {
    const { url } = await startFaultyServer({ accounts: { listAccounts: createFailingMethod(unavailableError).call } });
    const { exitCode, stderr } = await runCommand(["accounts", "list", "--retries", "0"], { server: url });
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/^error: no response from \S+: the database is unavailable\n/);
  });

  test("a response after --timeout", async () => {
    const { url } = await startFaultyServer({ accounts: { listAccounts: () => new Promise<never>(() => {}) } });
    const { exitCode, stderr } = await runCommand(["accounts", "list", "--timeout", "200ms"], { server: url });
    expect(exitCode).toBe(3);
    expect(stderr).toContain("Allow more time with --timeout");
  });
});

test("unanswered visits can be recorded again with the same event id", async () => {
  const seen: string[] = [];
  const recordVisits = ({ visits }: { visits: { eventId?: string | undefined }[] }) => {
    seen.push(String(visits[0]?.eventId));
    throw unavailableError;
  };
  const { url, close } = await startFaultyServer({ traffic: { recordVisits } });
  const visit = ["--property", "www", "--source", "google", "--medium", "cpc"];
  const args = ["visits", "record", "acme", ...visit, "--retries", "1"];
  const { exitCode, stderr } = await runCommand(args, { server: url });
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/^error: no response from \S+: the database is unavailable\n/);
  expect(seen).toStrictEqual([seen[0], seen[0]]);
  expect(stderr).toMatch(
    new RegExp(
      `\n {2}The visits may have been recorded\\. Retry with --event-id ${seen[0]}: they are counted only once\\.\n$`,
    ),
  );
  close();
  expect((await runCommand(args, { server: url })).stderr).not.toContain("--event-id");
});

test("Ctrl-C cancels a request and exits with 130", async () => {
  const { promise: arrival, resolve: arrived } = Promise.withResolvers<void>();
  const listAccounts = () => {
    arrived();
    return new Promise<never>(() => {});
  };
  const { url } = await startFaultyServer({ accounts: { listAccounts } });
  const cli = startCli(["accounts", "list", "--timeout", "1h"], { server: url });
  await arrival;
  cli.process.kill("SIGINT");
  expect(await cli.result).toStrictEqual({ exitCode: 130, stdout: "", stderr: "error: interrupted\n" });
});

describe("ends a command that waits for its input", () => {
  const folder = createFolder();
  const getClock = () => {
    throw new ConnectError("who are you", Code.Unauthenticated);
  };

  test.each([
    ["SIGINT", 130, "login"],
    ["SIGTERM", 143, "login"],
    ["SIGINT", 130, "call-flows set acme --default --from-file -"],
    ["SIGINT", 130, "api POST /call_tracking/accounts -d -"],
    ["SIGTERM", 143, "numbers import acme -"],
  ] as const)("by %s, with %i: %s", async (signal, exitCode, words) => {
    const { url } = await startFaultyServer({ clock: { getClock } });
    // The input is larger than the buffer of a pipe, so it is written completely only after the command has started to read.
    const cli = startCli(words.split(" "), { server: url, input: "\n".repeat(300_000), keepsInputOpen: true });
    await pollUntil(async () => cli.process.stdin?.writableLength === 0);
    cli.process.kill(signal);
    const { stderr, ...result } = await cli.result;
    expect(result).toMatchObject({ exitCode });
    expect(stderr).toMatch(/^(?:warning: .*\n)?error: interrupted\n/);
  });

  test.each([
    ["rows.csv", "numbers import acme"],
    ["settings.json", "call-flows set acme --default --from-file"],
  ])("by SIGINT, if it is a named pipe that stays silent: %s", async (name, words) => {
    const pipe = join(folder, name);
    execFileSync("mkfifo", [pipe]);
    const cli = startCli([...words.split(" "), pipe], { server: "http://127.0.0.1:1" });
    // Waits until the command has opened the pipe.
    const handle = await open(pipe, "w");
    // The text is larger than the buffer of a pipe, so it is written completely only after the command has started to read.
    await handle.write("\n".repeat(300_000));
    cli.process.kill("SIGINT");
    expect(await cli.result).toStrictEqual({ exitCode: 130, stdout: "", stderr: "error: interrupted\n" });
    await handle.close();
  });
});

test("exits silently if the reader closes the pipe", async () => {
  const accounts = Array.from({ length: 1000 }, (_, id) => ({ id, accountToken: "x".repeat(200) }));
  const { url } = await startFaultyServer({ accounts: { listAccounts: () => ({ accounts, nextPageToken: "more" }) } });
  const cli = startCli(["accounts", "list", "--output", "ndjson"], { server: url });
  cli.process.stdout?.once("data", () => cli.process.stdout?.destroy());
  const exit = once(cli.process, "exit");
  await expect(cli.result).rejects.toThrow("Premature close");
  expect(await exit).toStrictEqual([0, null]);
});

describe("a full disk ends the command with 1 and a one-line error", () => {
  const folder = createFolder();
  const NO_SPACE = "error: the output cannot be written: no space left on device\n";
  /** Runs the program with a shell redirection and a limited file size. */
  const runInShell = (redirection: string, args: readonly string[], server = "http://127.0.0.1:1") => {
    const shell = ["bash", "-c", `ulimit -f 8; exec "$0" "$@" ${redirection}`, process.execPath, cliPath] as const;
    return runCli(args, { server, program: shell });
  };

  test.each([["--help"], ["--version"], ["options"], ["completion bash"], ["help pools create"], ["accounts list"]])(
    "%s",
    async (line) => {
      const { url } = await startFaultyServer({ accounts: { listAccounts: () => ({}) } });
      const { exitCode, stderr } = await runInShell("> /dev/full", line.split(" "), url);
      expect({ exitCode, stderr }).toStrictEqual({ exitCode: 1, stderr: NO_SPACE });
    },
  );

  test("after a part of the output was written", async () => {
    const file = join(folder, "accounts");
    const accounts = Array.from({ length: 100 }, (_, id) => ({ id, accountToken: "x".repeat(100) }));
    const { url } = await startFaultyServer({ accounts: { listAccounts: () => ({ accounts }) } });
    const { exitCode, stderr } = await runInShell(`> ${file}`, ["accounts", "list"], url);
    expect({ exitCode, stderr }).toStrictEqual({
      exitCode: 1,
      stderr: "error: the output cannot be written: file too large\n",
    });
    expect(await readFile(file)).toHaveLength(8192);
    await runInShell(`> ${file}`, ["--version"]);
    await runInShell(`>> ${file}`, ["--version"]);
    expect(await readFile(file, "utf8")).toBe("0.1.0\n0.1.0\n");
  });

  test("an import whose rejected rows cannot be written", async () => {
    const { url } = await startFaultyServer();
    const rejects = join(folder, "rejects.csv");
    const shell = ["bash", "-c", `ulimit -f 8; exec "$0" "$@"`, process.execPath, cliPath] as const;
    const input = `phone_number,area_code\n${"one,two,three\n".repeat(1000)}`;
    const args = ["inventory", "import", "-", "--rejects", rejects];
    const { exitCode, stderr } = await runCli(args, { server: url, input, program: shell });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`error: ${rejects} cannot be written: file too large\n`);
  });
});

describe.skipIf(process.getuid?.() !== 0)("a user without HOME and without an entry in /etc/passwd", () => {
  const run = (...args: string[]) => {
    // Lets the user read the repository even if the repository is in a folder that only its owner can enter.
    const access = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
    const user = ["setpriv", "--reuid=54321", "--clear-groups", ...access];
    const unset = ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"].flatMap((name) => ["-u", name]);
    return runCli(args, { program: [...user, "env", ...unset, process.execPath, cliPath] as never });
  };

  test("can run commands", async () => {
    const { url } = await startFaultyServer({ accounts: { listAccounts: () => ({}) } });
    expect(await run("accounts", "list", "--server", url, "--output", "json")).toStrictEqual({
      exitCode: 0,
      stdout: "[]\n",
      stderr: "",
    });
    expect(await run("profiles", "--output", "json")).toStrictEqual({ exitCode: 0, stdout: "[]\n", stderr: "" });
    expect(await run("completion", "bash")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await run("login", "--help")).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("cannot log in without naming a folder", async () => {
    const { url } = await startFaultyServer();
    const stderr = "error: your home folder is unknown: set HOME or XDG_CONFIG_HOME\n";
    expect(await run("login", "--key", "k", "--server", url)).toStrictEqual({ exitCode: 2, stdout: "", stderr });
    expect(await run("logout")).toStrictEqual({ exitCode: 2, stdout: "", stderr });
  });
});
