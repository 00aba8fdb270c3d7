import { expect, test } from "vitest";
import { beginRequest } from "../testing/begin-request.js";
import { createDataLocation } from "../testing/data-location.js";
import { isConnectionRefused, startServerProcess } from "../testing/server-process.js";

/** The documented commands. Package managers, scripts or shells run between each command and the server process. */
const COMMANDS = ["npm start", "npx calltrack-server", "node_modules/.bin/calltrack-server"];

test.each(COMMANDS)("SIGTERM to %s stops the server after the in-flight request", async (command) => {
  await using location = await createDataLocation("postgres");
  await using server = await startServerProcess(location.environment, command.split(" "));
  const request = await beginRequest(server.port);
  server.kill("SIGTERM");
  await server.waitForLog("stopping");
  expect(await request.finish()).toContain("HTTP/1.1 201 Created");
  // Resolves when the server exits, because the server keeps its output open until then. npm itself exits earlier, because the signal terminates it.
  await server.ended;
  expect(await isConnectionRefused(server.port)).toBe(true);
});

test("npm start prints the next steps, with the address, the base path and the key", async () => {
  await using location = await createDataLocation("postgres");
  const environment = { ...location.environment, BASE_PATH: "/api", AUTH: "keys" };
  await using server = await startServerProcess(environment, ["npm", "start"]);
  await server.waitForLog(`List the accounts: +npx calltrack accounts list --server ${server.url}\n`);
  const { stderr } = await server.stop();
  expect(stderr).toContain(`Read and try the API:  ${server.url}/\n`);
  expect(stderr).toContain(`PATH="$PWD/node_modules/.bin:$PATH" calltrack accounts list --server ${server.url}\n`);
  expect(stderr).toContain(`curl ${server.url}/api/call_tracking/accounts -H "Authorization: Bearer $CALLTRACK_KEY"`);
});
