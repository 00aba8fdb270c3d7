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
