import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/**
 * Creates a temporary folder. By default, it is deleted after the tests of the current test file or `describe` block.
 *
 * @param after registers a function that deletes the folder. Pass `onTestFinished` to delete the folder after the current test.
 */
export function createFolder(after: (remove: () => void) => void = afterAll): string {
  const folder = mkdtempSync(join(tmpdir(), "calltrack-test-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
