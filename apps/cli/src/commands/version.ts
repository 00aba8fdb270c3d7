import { sendHttpRequest } from "../connection/http-request.js";
import type { CliCommand } from "../invocation/cli-command.js";
import type { Invocation } from "../invocation/invocation.js";
import { PROGRAM_VERSION } from "../program-version.js";

/** Defines `version`, which prints the versions of the program and of the server's API. */
export function defineCommand(version: CliCommand): void {
  version.run(async (invocation) => {
    const client = { calltrack: PROGRAM_VERSION, node: process.versions.node };
    await invocation.showRow({ ...client, server: invocation.options.server, api: await readApiVersion(invocation) });
  });
  version.examples("calltrack version", "calltrack version --output json");
}

/** Returns the version in the server's OpenAPI document; null if the document is unavailable. */
async function readApiVersion({ options, host }: Invocation): Promise<string | null> {
  const request = { method: "GET", path: "/openapi.json" };
  const { statusCode, body } = await sendHttpRequest(options, host.interrupt.stop, request);
  return statusCode === 200 ? JSON.parse(body).info.version : null;
}
