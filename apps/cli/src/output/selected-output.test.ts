import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { cliPath, runCli } from "../testing/cli.js";
import { lacksProgram } from "../testing/lacks-program.js";
import { addPool, createAccount } from "../testing/sample-pool.js";
import { startSharedServer } from "../testing/shared-server.js";

const server = await startSharedServer();
const { run, json } = server;
await createAccount(server, "acme");
for (const size of ["7", "30", "10"]) await addPool(server, "acme", "--size", size);
const pools = await json("pools", "list", "acme");

const list = ["pools", "list", "acme"];
const get = ["pools", "get", "acme", String(pools[0]?.id)];

test("a table shows the phone number of a pool, in a list and for one pool", async () => {
  const [all, one] = await Promise.all([run(...list), run(...get)]);
  expect(all.stdout).toMatch(/^id +number +area_code +type +size /);
  expect(all.stdout).toContain(`${pools[0]?.id}  +12223334444  415        manual     7 `);
  expect(one.stdout).toContain("original_number  +12223334444\n");
});

test("--columns selects any fields, in the given order", async () => {
  const table = await run(...list, "--columns", "size,number,pool_type");
  expect(table.stdout).toBe(
    `size  number        pool_type\n${["   7", "  30", "  10"].map((size) => `${size}  +12223334444  manual\n`).join("")}`,
  );
  expect((await run(...list, "--columns", "size", "-o", "csv")).stdout).toBe("size\n7\n30\n10\n");
  expect(await json(...get, "--columns", "size")).toStrictEqual({ size: 7 });
  const stderr = expect.stringContaining('column "weight": the col');
  expect(await run(...list, "--columns", "weight")).toMatchObject({ exitCode: 2, stdout: "", stderr });
});

test("--sort sorts a list, in descending order after a dash, with absent values last", async () => {
  const sizes = async (sort: string) => (await json(...list, "--sort", sort)).map(({ size }) => size);
  expect(await sizes("size")).toStrictEqual([7, 10, 30]);
  expect(await sizes("-size")).toStrictEqual([30, 10, 7]);
  expect(await json(...list, "--sort", "utilization")).toHaveLength(3);
  expect(await run(...list, "--sort", "weight")).toMatchObject({ exitCode: 2 });
});

test("--no-header omits the column names", async () => {
  expect((await run(...list, "--columns", "size", "--no-header")).stdout).toBe("   7\n  30\n  10\n");
  expect((await run(...list, "--columns", "size", "--no-header", "-o", "csv")).stdout).toBe("7\n30\n10\n");
});

describe("yaml", () => {
  test("has the same content as JSON", async () => {
    expect(parse((await run(...list, "-o", "yaml")).stdout)).toStrictEqual(pools);
    expect(parse((await run(...get, "-o", "yaml")).stdout)).toStrictEqual(pools[0]);
    expect((await run("inventory", "list", "-o", "yaml")).stdout).toBe("[]\n");
  });
});

describe("--query", () => {
  test("prints the value of an expression that is applied to the JSON output", async () => {
    expect(JSON.parse((await run(...list, "--query", "[?size > `7`].size")).stdout)).toStrictEqual([30, 10]);
    const { stdout } = await run(...get, "--query", "original_number_id");
    expect(JSON.parse(stdout)).toBe(pools[0]?.original_number_id);
    expect((await run(...list, "--query", "[].size", "-o", "yaml")).stdout).toBe("- 7\n- 30\n- 10\n");
  });

  test("reports an invalid expression", async () => {
    const { exitCode, stdout, stderr } = await run(...list, "--query", "[");
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(/^error: --query "\[": Invalid jmespath expression/);
  });
});

const lacksScript = await lacksProgram("script", "--version");

describe.skipIf(lacksScript)("on a terminal (skipped where script is not installed)", () => {
  /** Ctrl-C and Enter. */
  const INTERRUPT = "\u0003\n";

  /** @param input the keys that the user presses once the account is shown. */
  async function onTerminal(command: string, environment = {}, input = ""): Promise<string> {
    // `exec`, because a shell that waits for the command (as dash does) ends with 130 after Ctrl-C, whatever the command returns.
    const line = `exec ${process.execPath} ${cliPath} ${command}`;
    // Node.js omits colors if CI is set.
    const { NO_COLOR: _, CI: __, ...inherited } = process.env;
    const own = { TERM: "xterm", XDG_CONFIG_HOME: "/nowhere", CALLTRACK_SERVER: server.url };
    const env = { ...inherited, ...own, ...environment };
    const running = promisify(execFile)("script", ["-qefc", line, "/dev/null"], { env });
    const { child } = running;
    let shown = "";
    let isTyped = input === "";
    child.stdout?.on("data", (text: string) => {
      shown += text;
      if (isTyped || !shown.includes("acme\r\n")) return;
      isTyped = true;
      child.stdin?.write(input);
    });
    const { stdout } = await running;
    // While a busy server does not respond, a terminal also shows that the command waits.
    return stdout.replaceAll("\r", "").replace(/^Waiting for .*\n/gm, "");
  }

  test("colors states unless NO_COLOR is set", async () => {
    const green = "\u001b[32mtrue";
    expect(await onTerminal("accounts list")).toContain(green);
    expect(await onTerminal("accounts list", { NO_COLOR: "1" })).not.toContain("\u001b[");
    expect((await run("accounts", "list")).stdout).not.toContain("\u001b[");
  });

  test("shows a stream in lines without the pager, and a list of events as a table", async () => {
    const environment = { PAGER: "sed s/^/paged:/", NO_COLOR: "1" };
    const options = "--since 1h --limit 1 --columns type,account";
    const lines = /^type +account\naccount.created +acme\nContinue with --cursor \S+\n$/;
    expect(await onTerminal(`events watch acme ${options}`, environment)).toMatch(lines);
    expect(await onTerminal(`events list acme ${options} --no-pager`, environment)).toMatch(lines);
  });

  test("pipes lists through PAGER unless --no-pager is given", async () => {
    const environment = { PAGER: "sed s/^/paged:/", NO_COLOR: "1" };
    const command = "accounts list --columns account_token";
    expect(await onTerminal(command, environment)).toBe("paged:account_token\npaged:acme\n");
    expect(await onTerminal(`${command} --no-pager`, environment)).toBe("account_token\nacme\n");
    expect(await onTerminal(command, { ...environment, PAGER: "true" })).toBe("");
    const missing = { ...environment, PAGER: "calltrack-no-such-pager" };
    expect(await onTerminal(command, missing)).toMatch(/not found\naccount_token\nacme\n$/);
    const { stdout } = await runCli(command.split(" "), { server: server.url, environment });
    expect(stdout).toBe("account_token\nacme\n");
  });

  test("leaves Ctrl-C to the pager, and waits for it", async () => {
    const environment = { PAGER: "trap '' INT; cat; read key </dev/tty; sleep 4; echo ended", NO_COLOR: "1" };
    expect(await onTerminal("accounts list --columns account_token", environment, INTERRUPT)).toMatch(
      /^account_token\nacme\n\^C\nended\n$/,
    );
  });
});
