import { format } from "node:util";
import type { Logger } from "pino";

const CONSOLE_LEVELS = {
  debug: "debug",
  trace: "debug",
  log: "info",
  info: "info",
  warn: "warn",
  error: "warn",
} as const;

/**
 * Sends Node's warnings, console output, unhandled rejections and uncaught exceptions to the log, so that stderr contains only log lines.
 *
 * An unhandled rejection affects only one request or task, so the server continues. An uncaught exception leaves the interrupted code in an
 * unknown state, so the process exits with code 1.
 */
export function logProcessEvents(log: Logger): void {
  process.on("unhandledRejection", (reason) => {
    log.error({ err: toError(reason) }, "unhandled rejection");
  });
  process.on("uncaughtException", (error) => {
    log.fatal({ err: toError(error) }, "uncaught exception: the server exits");
    process.exit(1);
  });
  // Removes Node's own listener, which writes warnings to stderr.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => log.warn({ err: warning }, "process warning"));
  for (const [name, level] of Object.entries(CONSOLE_LEVELS)) {
    console[name as keyof typeof CONSOLE_LEVELS] = (...values: unknown[]) => log[level](format(...values));
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
