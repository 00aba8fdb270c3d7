import { type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";
import { prettyFactory } from "pino-pretty";
import type { Config } from "../config/config.js";
import { type LineWriter, stderrWriter } from "./line-writer.js";

/** The fields of a database error that can contain values from rows and parameters, such as callers' numbers. */
const ROW_CONTENTS = ["err.detail", "err.where", "err.params"];

/**
 * Creates a logger that writes JSON lines to stderr, or human-readable lines if stderr is a terminal. It drops lines if stderr accepts them
 * too slowly, and logs their number afterwards.
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
  const writer = stderrWriter();
  const log = pino(options, process.stderr.isTTY ? createPrettyDestination(writer) : writer);
  writer.onLinesDropped = (dropped) => log.error({ dropped }, "log lines were dropped, because stderr was blocked");
  return log;
}

function createPrettyDestination(writer: LineWriter): DestinationStream {
  const format = prettyFactory({ colorize: true, translateTime: "SYS:HH:MM:ss.l" });
  return { write: (line) => writer.write(format(line)) };
}
