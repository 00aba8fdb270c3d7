import { findTimeZoneProblem } from "@calltrack/domain";
import { Option } from "commander";
import type { CliCommand } from "../invocation/cli-command.js";
import { parseCountOption, requireOptionValue } from "../options/option-value.js";
import { findTimeZone, type TimeZone } from "../text/time-zone.js";
import { type RowFormatName, rowFormatNames } from "./open-row-file.js";

export interface ImportOptions<Format extends string = RowFormatName> {
  readonly format?: Format;
  readonly concurrency: number;
  readonly rejects?: string;
  readonly timeZone?: TimeZone;
}

/**
 * Adds the file argument and the options that all imports share.
 *
 * @param concurrency the default of `--concurrency`. It is low, because a batch of rows is expensive for the service.
 * @param formats names of further file formats.
 */
export function addImportOptions(command: CliCommand, concurrency = 4, formats: readonly string[] = []): CliCommand {
  return command
    .argument("<file>", "a .csv, .tsv, .jsonl or .ndjson file, or - for stdin")
    .addOption(
      new Option("--format <format>", "file format (default: from the file extension; csv for stdin)").choices([
        ...rowFormatNames,
        ...formats,
      ]),
    )
    .option("--concurrency <count>", "maximum number of concurrent requests", parseCountOption, concurrency)
    .option(
      "--rejects <file>",
      "write rejected rows and the reasons to this file, which you can then correct and import",
    );
}

export function addTimeZoneOption(command: CliCommand): CliCommand {
  return command.option(
    "--time-zone <name>",
    "the time zone of times without an offset, such as Europe/Berlin (default: rows with such times are rejected)",
    (name) => {
      const problem = findTimeZoneProblem(name);
      const sentence = `${problem?.replace(/^m/, "M")}.`;
      return requireOptionValue(problem === undefined ? findTimeZone(name) : undefined, sentence);
    },
  );
}
