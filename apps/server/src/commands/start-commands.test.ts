import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { beginRequest } from "../testing/begin-request.js";
import { createDataLocation } from "../testing/data-location.js";
import { isRefused, startServerProcess } from "../testing/server-process.js";

/**
 * The documented commands. Each runs the server as a descendant process, below package managers, scripts and shells.
 */
const COMMANDS = ["npm start", "npx calltrack-server", "node_modules/.bin/calltrack-server"];

test.each(COMMANDS)("SIGTERM to %s stops the server after the request in progress", async (command) => {
  await using location = await createDataLocation("postgres");
  await using server = await startServerProcess(location.environment, command.split(" "));
  const request = await beginRequest(server.port);
  server.kill("SIGTERM");
  await server.waitForLog("stopping");
  expect(await request.finish()).toContain("HTTP/1.1 201 Created");
  // The server keeps its output open until it exits. npm itself is terminated by the signal.
  await server.ended;
  expect(await isRefused(server.port)).toBe(true);
});

test("npm start tells what to do next, with the address, the base path and the key", async () => {
  await using location = await createDataLocation("embedded");
  const environment = { ...location.environment, BASE_PATH: "/api", AUTH: "keys" };
  await using server = await startServerProcess(environment, ["npm", "start"]);
  await server.waitForLog(`List the accounts: +npx calltrack accounts list --server ${server.url}\n`);
  const { stderr } = await server.stop();
  expect(stderr).toContain(`Read and try the API:  ${server.url}/\n`);
  expect(stderr).toContain(`PATH="$PWD/node_modules/.bin:$PATH" calltrack accounts list --server ${server.url}\n`);
  expect(stderr).toContain(`curl ${server.url}/api/call_tracking/accounts -H "Authorization: Bearer $CALLTRACK_KEY"`);
});

test("steps before the start are lines with what they do and their duration, and the output of a failed one", async () => {
  const progress = fileURLToPath(new URL("../../../../scripts/progress.mjs", import.meta.url));
  const runStep = (program: string) =>
    promisify(execFile)(process.execPath, [
      "--input-type=module",
      "--eval",
      `import { runStep } from ${JSON.stringify(progress)}; await runStep("Building", ["sh", "-c", "${program}"]);`,
    ]).catch((error: { stderr: string }) => error);
  expect((await runStep("echo hidden; sleep 1.2")).stderr).toMatch(/^Building …\nBuilding: done in \d+\.\d s\n$/);
  expect((await runStep("true")).stderr).toBe("");
  const long = (await runStep("echo server:build: cache miss, executing 1f2e; sleep 6.5")).stderr;
  expect(long).toMatch(/^Building …\nBuilding, \d+\.\d s: server:build\nBuilding: done in \d+\.\d s\n$/);
  const failed = (await runStep("echo broken; sleep 1.2; exit 1")).stderr;
  expect(failed).toMatch(/^Building …\nBuilding: failed after \d+\.\d s\nbroken\n/);
});
