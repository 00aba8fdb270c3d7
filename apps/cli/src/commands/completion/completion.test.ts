import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { cliPath, runCli } from "../../testing/cli.js";
import { createFolder } from "../../testing/create-folder.js";
import { lacksProgram } from "../../testing/lacks-program.js";
import { pollUntil } from "../../testing/poll-until.js";
import { runCommand } from "../../testing/run-command.js";
import { createPool } from "../../testing/sample-pool.js";
import { startSharedServer } from "../../testing/shared-server.js";

const run = promisify(execFile);

const folder = createFolder();
for (const shell of ["bash", "zsh", "fish"]) {
  const { exitCode, stdout } = await runCommand(["completion", shell]);
  expect(exitCode).toBe(0);
  await writeFile(join(folder, `calltrack.${shell}`), stdout);
}
await writeFile(join(folder, "my pools.csv"), "");
const program = `#!/bin/sh\nexec '${process.execPath}' '${cliPath}' "$@"\n`;
await writeFile(join(folder, "calltrack"), program, { mode: 0o755 });

const server = await startSharedServer();
const pool = await createPool(server, "acme");
await server.json("accounts", "create", "$(pwd)");

async function createEndpoint(...options: string[]): Promise<string> {
  const { id } = await server.json("webhook-endpoints", "create", "https://crm.example.com/calltrack", ...options);
  return String(id);
}

/** Creates the environment of a shell that finds the program in PATH. The program connects to `url`. By default, no server listens at `url`. */
const environment = (url = "http://127.0.0.1:1") => ({
  ...process.env,
  PATH: `${folder}:${process.env.PATH}`,
  XDG_CONFIG_HOME: "/nowhere",
  CALLTRACK_SERVER: url,
});

/** Completes the last word of a command line in bash, which splits words at `=` and `:`. */
async function completeInBash(line: string, env = environment()): Promise<string[]> {
  const words = line.split(" ").flatMap((word) => word.split(/([=:]+)/).filter((part, at) => part !== "" || at === 0));
  const reply = `printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = `source calltrack.bash; COMP_CWORD=$(($# - 1)); COMP_WORDS=("$@"); _calltrack; ${reply}`;
  const { stdout } = await run("bash", ["--norc", "-c", script, "bash", ...words], { cwd: folder, env });
  return stdout.split("\n").filter((word) => word !== "");
}

async function completeInFish(line: string, env = environment()): Promise<string[]> {
  const script = "source calltrack.fish; complete -C $argv[1]";
  const { stdout } = await run("fish", ["--no-config", "-c", script, line], { cwd: folder, env });
  return stdout.split("\n").flatMap((word) => word.split("\t")[0] || []);
}

const lacksFish = await lacksProgram("fish", "-c", ":");

describe("the words after", () => {
  test.each([
    [
      "",
      [
        ...["accounts", "numbers", "pools", "trackers", "inventory", "visits", "source-aliases"],
        ...["dni", "calls", "call-flows"],
        ...["clock", "keys", "phone-systems"],
        ...[
          "login",
          "logout",
          "whoami",
          "profiles",
          "events",
          "webhook-endpoints",
          "audit",
          "api",
          "version",
          "completion",
          "options",
          "help",
        ],
      ],
    ],
    ["pools ", ["create", "get", "list", "export", "update", "explain", "history", "import", "help"]],
    ["trackers ", ["list", "get", "activate", "describe", "flag", "help"]],
    ["inventory list --state r", ["resting", "retiring", "retired"]],
    ["visits import acme my", [":files"]],
    ["events ", ["list", "watch", "help"]],
    ["events watch --type call", ["call_tracker.*", "call_flow.*", "call.*"]],
    [
      "webhook-endpoints ",
      [
        ...["create", "get", "list", "update", "disable", "resume", "delete", "rotate"],
        ...["test", "deliveries", "redeliver", "listen", "help"],
      ],
    ],
    ["webhook-endpoints listen --type w", ["webhook_endpoint.*"]],
    ["webhook-endpoints deliveries x --status ", ["waiting", "delivered", "dead"]],
    ["clock ", ["show", "advance", "help"]],
    ["--output json pools u", ["update"]],
    ["--output ", ["table", "json", "ndjson", "csv", "yaml"]],
    ["accounts list -o n", ["ndjson"]],
    ["accounts list --output=j", ["--output=json"]],
    ["pools create acme --type ", ["manual", "automanaged", "automated"]],
    ["pools create acme --no-", ["--no-dni", "--no-prompted", "--no-recorded", "--no-header", "--no-pager"]],
    ["pools update acme --s", ["--size", "--server", "--sort"]],
    ["pools import acme my", [":files"]],
    ["pools import acme x.csv --rejects my", [":files"]],
    ["pools import acme --format ", ["csv", "jsonl"]],
    ["login --ca my", [":files"]],
    ["accounts list --ce", ["--cert", "--cert-key"]],
    ["completion ", ["bash", "zsh", "fish"]],
    ["accounts get list", []],
  ])("%s", async (line, words) => {
    const { stdout } = await runCommand(["__complete", "--", ...line.split(" ")]);
    expect(stdout.split("\n").flatMap((each) => each.split("\t")[0] || [])).toStrictEqual(words);
  });
});

describe("bash", () => {
  test.each([
    ["calltrack p", ["pools", "phone-systems", "profiles"]],
    ["calltrack inventory import my", ["my pools.csv"]],
    ["calltrack accounts list --output=", ["table", "json", "ndjson", "csv", "yaml"]],
    ["calltrack accounts list --output=j", ["json"]],
    ["calltrack accounts list --output=json --protocol g", ["grpc", "grpc-web"]],
    ["calltrack accounts create ", []],
  ])("%s", async (line, words) => {
    expect(await completeInBash(line)).toStrictEqual(words);
  });

  test("the script registers itself", async () => {
    const { stdout } = await run("bash", ["--norc", "-c", "source calltrack.bash; complete -p calltrack"], {
      cwd: folder,
    });
    expect(stdout).toBe("complete -F _calltrack calltrack\n");
  });
});

describe("values from the server", () => {
  test("completes accounts and pools in bash, without values that bash would expand", async () => {
    const env = environment(server.url);
    expect(await completeInBash("calltrack pools list ", env)).toStrictEqual(["acme"]);
    expect(await completeInBash("calltrack pools get acme ", env)).toStrictEqual([pool]);
    expect(await completeInBash("calltrack --output json pools explain acme 0", env)).toStrictEqual([pool]);
    expect(await completeInBash("calltrack keys get ", env)).toStrictEqual([]);
  });

  test("completes webhook endpoints of the account that an option names, or of all accounts", async () => {
    const env = environment(server.url);
    const own = await createEndpoint("--account", "acme");
    const all = await createEndpoint();
    const complete = (words: string) => completeInBash(`calltrack webhook-endpoints ${words}`, env);
    expect(await complete("list --account a")).toStrictEqual(["acme"]);
    expect(await complete("get --account acme ")).toStrictEqual([own]);
    expect(await complete("get --account=acme ")).toStrictEqual([own]);
    expect(await complete("get ")).toStrictEqual([all]);
    const { id } = await server.json("webhook-endpoints", "redeliver", own, "--account", "acme", "--since", "1h");
    expect(id).toBe(own);
    await pollUntil(
      async () => (await server.json("webhook-endpoints", "deliveries", own, "--account", "acme")).length > 0,
    );
    expect(await complete(`redeliver --account acme ${own} `)).toContainEqual(expect.stringMatching(/^\d+$/));
  });

  test("come from the server that the typed words name", async () => {
    const profiles = join(folder, "config", "calltrack", "profiles");
    await mkdir(profiles, { recursive: true });
    for (const [name, url] of [
      ["default", "http://127.0.0.1:1"],
      ["staging", server.url],
    ])
      await writeFile(join(profiles, `${name}.json`), JSON.stringify({ server: url }), { mode: 0o600 });
    const env = { ...environment(), XDG_CONFIG_HOME: join(folder, "config") };
    expect(await completeInBash("calltrack pools list ", env)).toStrictEqual([]);
    for (const line of [
      "calltrack --profile staging pools list --limit 5 ",
      "calltrack pools list --profile=staging ",
      `calltrack pools list --server ${server.url} `,
      `calltrack --server=${server.url} pools list --limit 5 `,
    ])
      expect(await completeInBash(line, env), line).toStrictEqual(["acme"]);
    const { stdout } = await runCli(["__complete", "--", "--profile=staging", "pools", "list", ""], {
      environment: env,
    });
    expect(stdout).toBe("acme\n");
  });

  test("are requested once, with a short deadline", async () => {
    const deadlines: unknown[] = [];
    const busy = createServer(({ headers }, response) => {
      deadlines.push(headers["connect-timeout-ms"]);
      response.writeHead(503).end();
    });
    await once(busy.listen(0, "127.0.0.1"), "listening");
    const { port } = busy.address() as AddressInfo;
    const words = ["--protocol", "connect", "--timeout", "1h", "accounts", "get", ""];
    const result = await runCli(["__complete", "--", ...words], { server: `http://127.0.0.1:${port}` });
    busy.close();
    expect(result).toStrictEqual({ exitCode: 0, stdout: "", stderr: "" });
    expect(deadlines).toStrictEqual(["2000"]);
  });

  test.skipIf(lacksFish)("completes pools in fish (skipped where it is not installed)", async () => {
    expect(await completeInFish("calltrack pools get acme ", environment(server.url))).toStrictEqual([pool]);
  });

  test("are empty if the server is unreachable", async () => {
    const result = await runCli(["__complete", "--", "accounts", "get", ""], { server: "http://127.0.0.1:1" });
    expect(result).toStrictEqual({ exitCode: 0, stdout: "", stderr: "" });
  });
});

describe.skipIf(lacksFish)("fish (skipped where it is not installed)", () => {
  test.each([
    ["calltrack pools create acme --type ", ["automanaged", "automated", "manual"]],
    ["calltrack accounts list --output=j", ["--output=json"]],
    ["calltrack pools import acme my", ["my pools.csv"]],
    ["calltrack accounts create ", []],
  ])("%s", async (line, words) => {
    expect(await completeInFish(line)).toStrictEqual(words);
  });
});

test.skipIf(await lacksProgram("zsh", "-c", ":"))(
  "zsh accepts the script (skipped where zsh is not installed)",
  async () => {
    await run("zsh", ["-f", "-n", "calltrack.zsh"], { cwd: folder });
  },
);
