import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CliResult, startCli } from "../../testing/cli.js";
import { runCommand } from "../../testing/run-command.js";
import { startSharedServer } from "../../testing/shared-server.js";

const server = await startSharedServer();
await server.json("accounts", "create", "acme");

function run(args: readonly string[], input = ""): Promise<CliResult> {
  return runCommand(args, { server: server.url, input });
}

describe("api", () => {
  test("prints the response body", async () => {
    const { exitCode, stdout, stderr } = await run(["api", "get", "/call_tracking/accounts"]);
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject([{ account_token: "acme" }]);
  });

  test("applies --query to the response body, except to an error", async () => {
    const queried = await run(["api", "GET", "/call_tracking/accounts", "--query", "[0].account_token"]);
    expect(queried).toMatchObject({ exitCode: 0, stdout: '"acme"\n' });
    const failed = await run(["api", "GET", "/call_tracking/accounts/4711", "--query", "[0]"]);
    expect(failed).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('{"error":') });
  });

  test("sends a body from the command line or standard input", async () => {
    const args = ["api", "POST", "/call_tracking/accounts", "--data"];
    await run([...args, '{"account_token": "globex"}']);
    await run([...args, "-"], '{"account_token": "initech"}');
    const accounts = await server.json("accounts", "list");
    expect(accounts.map(({ account_token }) => account_token)).toStrictEqual(["acme", "globex", "initech"]);
  });

  test("prints the body and exits with 1 for a status of 400 or more", async () => {
    const { exitCode, stdout, stderr } = await run(["api", "GET", "/call_tracking/accounts/4711"]);
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 1, stderr: "error: HTTP 404 Not Found\n" });
    expect(JSON.parse(stdout)).toMatchObject({ error: { message: expect.stringContaining("4711") } });
  });

  test.each([
    [["api", "GE T", "/"], 2, 'error: "GE T" is not an HTTP method: pass a method such as GET or POST\n'],
    [["api", "GET", "accounts"], 2, "error: the path must start with a slash\n"],
    [["api", "GET", "/call_tracking/accounts", "--query", "["], 2, 'error: --query "[": Invalid jmespath expression'],
    [["api", "GET", "/docs", "--query", "info"], 2, "error: the response is not JSON: omit --query\n"],
    [["api", "GET", "/", "--server", "http://127.0.0.1:1"], 3, "no response from http://127.0.0.1:1: connection ref"],
  ])("%j exits with %i", async (args, exitCode, text) => {
    expect(await run(args)).toMatchObject({ exitCode, stdout: "", stderr: expect.stringContaining(text) });
  });

  test.each([
    ["stalls", () => {}, "the request timed out"],
    ["is cut off", (response: ServerResponse) => response.destroy(), "connection lost"],
  ])("exits with 3 if a response %s halfway", async (_, end, text) => {
    const halting = createServer((_request, response) => response.write("[", () => end(response)));
    onTestFinished(() => halting.closeAllConnections());
    await once(halting.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(halting.address() as AddressInfo).port}`;
    const { exitCode, stderr } = await run(["api", "GET", "/", "--server", url, "--timeout", "200ms"]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(`${url}: ${text}\n`) });
  });
});

test("api rejects a response that switches to another protocol", async () => {
  const switching = createServer();
  switching.on("request", (_, response) => response.writeHead(101, { connection: "upgrade", upgrade: "other" }).end());
  onTestFinished(() => switching.closeAllConnections());
  await once(switching.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(switching.address() as AddressInfo).port}`;
  const { exitCode, stderr } = await run(["api", "GET", "/", "--server", url]);
  expect({ exitCode, stderr }).toStrictEqual({ exitCode: 1, stderr: "error: HTTP 101 Switching Protocols\n" });
});

test("version shows the versions of the program and of the server's API", async () => {
  const shown = await server.json("version");
  const versions = { calltrack: "0.1.0", node: process.versions.node, api: "0.1.0" };
  expect(shown).toStrictEqual({ ...versions, server: server.url });
});

test("--watch repeats a list until Ctrl-C", async () => {
  const args = ["accounts", "list", "--watch", "50ms", "--no-header", "--columns", "account_token", "--limit", "1"];
  const cli = startCli(args, { server: server.url });
  let written = "";
  cli.process.stdout?.on("data", (text) => {
    written += text;
    if (written.startsWith("acme\nacme\nacme\n")) cli.process.kill("SIGINT");
  });
  expect(await cli.result).toMatchObject({ exitCode: 0, stderr: "", stdout: expect.stringMatching(/^(acme\n){3,}$/) });
});
