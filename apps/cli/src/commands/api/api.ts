import { Code, ConnectError } from "@connectrpc/connect";
import { sendHttpRequest } from "../../connection/http-request.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import { writeQueryValue } from "../../output/write-rows.js";
import { writeText } from "../../output/write-text.js";
import { readStdin } from "../../process/read-stdin.js";
import { UsageError } from "../../process/usage-error.js";

/** Defines `api`, which sends a request to the JSON API and prints the response body. */
export function defineCommand(api: CliCommand): void {
  api
    .argument("<method>", "HTTP method, such as GET or POST")
    .argument("<path>", "path, such as /call_tracking/accounts")
    .option("-d, --data <json>", "request body as JSON; - reads the body from stdin")
    .run(async (invocation, name: string, path: string, { data }: { data?: string }) => {
      const method = name.toUpperCase();
      if (!/^[A-Z]+$/.test(method))
        throw new UsageError(`${JSON.stringify(name)} is not an HTTP method: pass a method such as GET or POST`);
      if (!path.startsWith("/")) throw new UsageError("the path must start with a slash");
      const { options, host } = invocation;
      const request = { method, path, body: data === "-" ? await readStdin(host) : data };
      const { statusCode, statusMessage, body } = await sendHttpRequest(options, host.interrupt.stop, request);
      const isRejected = statusCode < 200 || statusCode >= 400;
      if (options.query !== undefined && !isRejected) await writeQueryValue(host, options, parseBody(body));
      else await writeText(host.stdout, [body === "" || body.endsWith("\n") ? body : `${body}\n`]);
      if (isRejected) throw new ConnectError(`HTTP ${statusCode} ${statusMessage}`, Code.FailedPrecondition);
    });
  api.examples(
    "calltrack api GET /call_tracking/accounts",
    `calltrack api POST /call_tracking/accounts -d '{"account_token": "acme"}'`,
    "calltrack api PUT /call_tracking/accounts/1 -d - < account.json",
  );
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new UsageError("the response is not JSON: omit --query", { cause: error });
  }
}
