import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/**
 * Creates a temporary folder, which is deleted after the tests of the file or of the `describe` block.
 *
 * @param after registers the deletion. Pass `onTestFinished` to delete the folder after the test.
 */
export function createFolder(after: (remove: () => void) => void = afterAll): string {
  const folder = mkdtempSync(join(tmpdir(), "calltrack-test-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
