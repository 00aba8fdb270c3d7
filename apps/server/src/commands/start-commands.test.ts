import { expect, test } from "vitest";
import { beginRequest } from "../testing/begin-request.js";
import { createDataLocation } from "../testing/data-location.js";
import { isRefused, startServerProcess } from "../testing/server-process.js";

/** The documented commands. Each starts the server below other processes: package managers, scripts, shells. */
const COMMANDS = ["npm start", "npx calltrack-server", "node_modules/.bin/calltrack-server"];

test.each(COMMANDS)("SIGTERM to %s stops the server after it has answered", async (command) => {
  await using location = await createDataLocation("postgres");
  await using server = await startServerProcess(location.environment, command.split(" "));
  const request = await beginRequest(server.port);
  server.kill("SIGTERM");
  await server.waitForLog("stopping");
  expect(await request.finish()).toContain("HTTP/1.1 201 Created");
  // The server holds its output open until it ends. npm itself ends by the signal.
  await server.ended;
  expect(await isRefused(server.port)).toBe(true);
});
