import { type Logger, pino, stdTimeFunctions } from "pino";
import pretty from "pino-pretty";
import type { Config } from "./config.js";

/** Logs JSON lines to stderr, or lines for a person if stderr is a terminal. */
export function createLog(level: Config["logLevel"]): Logger {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return process.stderr.isTTY
    ? pino(options, pretty({ destination: 2, translateTime: "SYS:HH:MM:ss.l", sync: true }))
    : pino(options, pino.destination({ dest: 2, sync: false }));
}
