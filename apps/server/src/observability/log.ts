import { type Logger, pino, stdTimeFunctions } from "pino";
import pretty from "pino-pretty";
import type { Config } from "../config/config.js";

/** Linux's PIPE_BUF. Larger writes to a pipe are not atomic, so lines of several processes could be mixed up. */
const MAX_WRITE_BYTES = 4096;

/** The fields of a database error that can contain values of rows and parameters, such as callers' numbers. */
const ROW_CONTENTS = ["err.detail", "err.where", "err.params"];

/**
 * Creates a logger that writes JSON lines to stderr, or human-readable lines if stderr is a terminal.
 *
 * @param worker the number of the worker process, added to each line; undefined if the server is a single process.
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
    : pino(options, pino.destination({ dest: 2, sync: false, maxWrite: MAX_WRITE_BYTES }));
}
