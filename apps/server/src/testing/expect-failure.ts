import { expect } from "vitest";
import type { ProcessEnd } from "./server-process.js";

/**
 * Asserts that a command has failed with one line on stderr, and nothing on stdout.
 *
 * @param line a pattern of the line after `calltrack-server: `. The line may go on.
 */
export function expectFailure(end: ProcessEnd, exitCode: number, line: string | RegExp): void {
  const pattern = new RegExp(`^calltrack-server: ${typeof line === "string" ? line : line.source}[^\\n]*\\n$`);
  expect(end).toEqual({ exitCode, stdout: "", stderr: expect.stringMatching(pattern) });
}
