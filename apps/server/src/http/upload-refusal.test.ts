import { execFile, execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectErrorShape } from "../testing/error-shape.js";
import { startTestServer, type TestServer } from "../testing/test-server.js";

const run = promisify(execFile);

const skipped = !hasCurl() && process.env.CI !== "true";

function hasCurl(): boolean {
  try {
    return execFileSync("curl", ["--version"], { encoding: "utf8" }).includes("HTTP2");
  } catch {
    return false;
  }
}

describe.skipIf(skipped)(
  "curl receives the error for an upload of 8 MB (skipped without a curl that supports HTTP/2)",
  () => {
    let server: TestServer;
    const folder = createFolder();

    beforeAll(async () => {
      server = await startTestServer("postgres", {});
      await writeFile(join(folder, "body"), Buffer.alloc(8_000_000));
    });

    afterAll(() => server.stop());

    const versions = {
      "HTTP/1.1": "--http1.1",
      "HTTP/2": "--http2-prior-knowledge",
    };

    describe.each(Object.entries(versions))("over %s", (_, version) => {
      test.each([
        ["with too large a content-length", 413, "/call_tracking/accounts", ["--data-binary", "@body"]],
        ["without a content-length", 413, "/call_tracking/accounts", ["--request", "POST", "--upload-file", "."]],
        ["to an unknown path", 404, "/nope", ["--data-binary", "@body"]],
        ["to a URL that is too long", 414, `/${"x".repeat(9000)}`, ["--data-binary", "@body"]],
      ])("%s: %i", async (_, status, path, body) => {
        const json = ["--header", "content-type: application/json", "--header", "expect:"];
        const output = ["--silent", "--show-error", "--write-out", "\n%{http_code}"];
        const command = ["curl", version, ...json, ...output, ...body, server.url + path];
        // Uploads from standard input have no content-length.
        const { stdout } = await run("sh", ["-c", 'exec "$@" <body', "sh", ...command], { cwd: folder });
        const [text = "", code] = stdout.split("\n");
        expect(code).toBe(String(status));
        expectErrorShape(status, "application/json", text);
      });
    });
  },
);
