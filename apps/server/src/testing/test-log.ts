import { type Logger, pino } from "pino";
import type { LogLine } from "./server-process.js";

/** A log that keeps its lines for a test. */
export interface TestLog {
  readonly log: Logger;
  readonly lines: readonly LogLine[];
  /** The messages of the lines. */
  readonly messages: readonly unknown[];
}

/** Creates a log with the lines of a level and above. */
export function createTestLog(level = "info"): TestLog {
  const lines: LogLine[] = [];
  return {
    log: pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    lines,
    get messages() {
      return lines.map(({ msg }) => msg);
    },
  };
}
