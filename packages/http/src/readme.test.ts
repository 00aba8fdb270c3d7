import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const PACKAGE = join(import.meta.dirname, "..");
const README = await readFile(join(PACKAGE, "README.md"), "utf8");

test("runs the sample of the README", async () => {
  const [, sample = ""] = /```js\n(.*?)```/s.exec(README) ?? [];
  const code = sample.replace("listen(8080", "listen(0");
  expect(code).not.toBe(sample);
  const server = spawn(process.execPath, ["--input-type=module", "--eval", code], { cwd: PACKAGE });
  onTestFinished(() => void server.kill());
  const [output] = await once(server.stdout.setEncoding("utf8"), "data");
  const url = String(output).trim();
  const response = await fetch(url, { method: "POST", body: "hello" });
  expect([response.status, await response.text()]).toEqual([200, "5\n"]);
  expect((await fetch(url.replace("/size", "/other"))).status).toBe(404);
  server.kill();
  expect(await once(server, "exit")).toEqual([0, null]);
});

test.each([["server.ts", "HttpServerOptions"]])("documents every option of %s %s in the README", async (file, name) => {
  const source = await readFile(join(import.meta.dirname, file), "utf8");
  const [, body = ""] = new RegExp(`export interface ${name}[^{]*\\{\n(.*?)\n\\}`, "s").exec(source) ?? [];
  const options = Array.from(body.matchAll(/^ {2}readonly (\w+)/gm), ([, option]) => option);
  expect(options.length).toBeGreaterThan(0);
  expect(options.filter((option) => !README.includes(`| \`${option}\` |`))).toEqual([]);
});
