import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRowFile } from "./open-row-file.js";
import { openRejectsFile } from "./rejects-file.js";

const { signal } = new AbortController();
const host = { stdin: process.stdin, interrupt: { stop: signal, drop: signal } };

// Node.js ends a process if its garbage collector finds a file handle that is still open.
test.each([
  ["a folder as the imported file", import.meta.dirname, (file: string) => openRowFile(file, "csv", new Map(), host)],
  ["a full device as the rejects file", "/dev/full", (file: string) => openRejectsFile(file, "phone_number\n", {})],
])("closes %s", async (_, file, open) => {
  await expect(open(file)).rejects.toThrow(file);
  expect(await listOpenFiles()).not.toContain(file);
});

async function listOpenFiles(): Promise<readonly string[]> {
  const links = (await readdir("/proc/self/fd")).map((descriptor) => join("/proc/self/fd", descriptor));
  return await Promise.all(links.map((link) => readlink(link).catch(() => "closed")));
}
