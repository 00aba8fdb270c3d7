import { type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";
import type { Config } from "../config/config.js";
import { getStderrWriter, type LineWriter } from "./line-writer.js";

/** The fields of database errors that can contain values from rows or parameters, such as callers' numbers. The log omits them. */
const ROW_CONTENTS = ["err.detail", "err.where", "err.params"];

/**
 * Creates a logger that writes JSON lines to stderr, or human-readable lines if stderr is a terminal. If stderr accepts lines too slowly,
 * the logger drops lines, and logs their number afterwards.
 *
 * @param worker the number of the worker process, added to each line; undefined if the server is a single process.
 */
export async function createLogger(level: Config["logLevel"], worker?: number): Promise<Logger> {
  const options = {
    level,
    base: worker === undefined ? null : { worker },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: ROW_CONTENTS, remove: true },
  };
  const writer = getStderrWriter();
  const log = pino(options, process.stderr.isTTY ? await createPrettyDestination(writer) : writer);
  writer.onLinesDropped = (dropped) => log.error({ dropped }, "log lines were dropped, because stderr was blocked");
  return log;
}

async function createPrettyDestination(writer: LineWriter): Promise<DestinationStream> {
  // Loaded only here, because it takes more than 3 MB of memory and a tenth of the time until the server's own modules are loaded.
  const { prettyFactory } = await import("pino-pretty");
  const format = prettyFactory({ colorize: true, translateTime: "SYS:HH:MM:ss.l" });
  return { write: (line) => writer.write(format(line)) };
}
