import { expect } from "vitest";
import type { ProcessEnd } from "./server-process.js";

/** Asserts that a command failed with an empty stdout and one line on stderr: `calltrack-server: `, a match for `line`, and any further text. */
export function expectFailure(end: ProcessEnd, exitCode: number, line: string | RegExp): void {
  const pattern = new RegExp(`^calltrack-server: ${typeof line === "string" ? line : line.source}[^\\n]*\\n$`);
  expect(end).toEqual({ exitCode, stdout: "", stderr: expect.stringMatching(pattern) });
}
