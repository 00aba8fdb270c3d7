import { type Logger, pino } from "pino";
import type { LogLine } from "./server-process.js";

export interface TestLog {
  readonly log: Logger;
  readonly lines: readonly LogLine[];
  readonly messages: readonly unknown[];
}

/** Creates a logger that keeps the parsed log lines at `level` and above in memory. */
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
