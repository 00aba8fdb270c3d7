import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Creates a temporary folder, which is deleted after the tests of the file or of the `describe` block. */
export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "calltrack-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
