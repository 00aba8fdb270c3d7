import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as main from "./index.js";
import * as node from "./node.js";
import * as openapi from "./openapi.js";
import * as rpc from "./rpc.js";

const README = await readFile(join(import.meta.dirname, "..", "README.md"), "utf8");

test.each([
  ["transcoder/transcoder-options.ts", "TranscoderOptions"],
  ["rules/read-http-rules.ts", "RuleOptions"],
  ["decode/decode-options.ts", "DecodeOptions"],
  ["encode/encode-options.ts", "EncodeOptions"],
  ["endpoints/error-response.ts", "ErrorBodyOptions"],
  ["node/node-handler.ts", "NodeHandlerOptions"],
  ["rpc/rpc-options.ts", "RpcOptions"],
  ["openapi/openapi-options.ts", "OpenApiOptions"],
])("every option of %s %s is documented", async (file, name) => {
  const source = await readFile(join(import.meta.dirname, file), "utf8");
  const [, body = ""] = new RegExp(`export interface ${name}[^{]*\\{\n(.*?)\n\\}`, "s").exec(source) ?? [];
  const options = Array.from(body.matchAll(/^ {2}readonly (\w+)/gm), ([, option]) => option);
  expect(options.length).toBeGreaterThan(0);
  expect(options.filter((option) => !README.includes(`| \`${option}\` |`))).toEqual([]);
});

test("every export is documented", () => {
  const names = [main, node, openapi, rpc].flatMap(Object.keys);
  expect(names.filter((name) => !README.includes(name))).toEqual([]);
});
