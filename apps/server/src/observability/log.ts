import { type Logger, pino, stdTimeFunctions } from "pino";
import pretty from "pino-pretty";
import type { Config } from "../config/config.js";

/** Several processes may write to one pipe. Not more than this at a time (PIPE_BUF of Linux), or their lines would mix. */
const MOST_BYTES_AT_ONCE = 4096;

/** The parts of a database's error that have values of rows and parameters, such as the numbers of callers. */
const ROW_CONTENTS = ["err.detail", "err.where", "err.params"];

/**
 * Logs JSON lines to stderr, or lines for a person if stderr is a terminal.
 *
 * @param worker which process of the server writes them, if there are several.
 */
export function createLog(level: Config["logLevel"], worker?: number): Logger {
  const options = {
    level,
    base: worker === undefined ? null : { worker },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: ROW_CONTENTS, remove: true },
  };
  return process.stderr.isTTY
    ? pino(options, pretty({ destination: 2, translateTime: "SYS:HH:MM:ss.l", sync: true }))
    : pino(options, pino.destination({ dest: 2, sync: false, maxWrite: MOST_BYTES_AT_ONCE }));
}
