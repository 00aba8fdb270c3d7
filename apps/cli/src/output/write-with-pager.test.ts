import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { CommandHost } from "../process/command-host.js";
import { createFolder } from "../testing/create-folder.js";
import { writeWithPager } from "./write-with-pager.js";

const folder = createFolder();
const LINE = `${"x".repeat(99)}\n`;

/** Writes chunks through a pager. Returns the text that was written to the terminal without the pager. */
async function page(pager: string, chunks: AsyncIterable<string>): Promise<string> {
  vi.stubEnv("PAGER", pager);
  const stdout = Object.assign(new PassThrough(), { isTTY: true });
  const written = text(stdout);
  const interrupt = { stop: new AbortController().signal, drop: new AbortController().signal };
  await writeWithPager({ stdout, interrupt } as unknown as CommandHost, chunks, true).finally(() => stdout.end());
  return await written;
}

async function* repeatLine(count: number): AsyncGenerator<string> {
  for (let index = 0; index < count; index += 1) yield LINE;
}

test.each([
  ["is not installed", "calltrack-no-such-pager 2> /dev/null", 1],
  ["is not installed, and the list is long", "calltrack-no-such-pager 2> /dev/null", 20_000],
  ["is not executable", join(folder, "not-executable"), 1],
])("writes the list itself if the pager %s", async (_, pager, count) => {
  writeFileSync(join(folder, "not-executable"), "");
  expect(await page(`{ ${pager}; } 2> /dev/null`, repeatLine(count))).toBe(LINE.repeat(count));
});

test.each(["true", "exit 1"])("does not write the list itself after the pager %j", async (pager) => {
  expect(await page(pager, repeatLine(20_000))).toBe("");
});

test("does not start the pager if the list cannot be read", async () => {
  const file = join(folder, "started");
  // biome-ignore lint/correctness/useYield: the list fails before its first chunk.
  async function* fail(): AsyncGenerator<string> {
    throw new Error("unavailable");
  }
  await expect(page(`touch ${file}`, fail())).rejects.toThrow("unavailable");
  await setTimeout(200);
  expect(existsSync(file)).toBe(false);
});

test("waits for the pager if the list cannot be read to its end", async () => {
  const file = join(folder, "ended");
  async function* failAfterFirst(): AsyncGenerator<string> {
    yield LINE;
    throw new Error("unavailable");
  }
  await expect(page(`cat > /dev/null; sleep 0.3; touch ${file}`, failAfterFirst())).rejects.toThrow("unavailable");
  expect(existsSync(file)).toBe(true);
});
