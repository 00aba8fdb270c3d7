import { type Command, Option } from "commander";
import { parseCountOption } from "../options/option-value.js";
import { type RowFormatName, rowFormatNames } from "./open-row-file.js";

/** The options of all imports. */
export interface ImportOptions {
  readonly format?: RowFormatName;
  readonly concurrency: number;
  readonly rejects?: string;
}

/**
 * Adds the file argument and the options of all imports.
 *
 * @param concurrency default of `--concurrency`; low, because a batch of rows is expensive for the service.
 */
export function addImportOptions(command: Command, concurrency = 4): Command {
  return command
    .argument("<file>", "a .csv, .jsonl or .ndjson file, or - for stdin")
    .addOption(
      new Option("--format <format>", "file format (default: from the file extension; csv for stdin)").choices(
        rowFormatNames,
      ),
    )
    .option("--concurrency <count>", "number of concurrent requests", parseCountOption, concurrency)
    .option("--rejects <file>", "write refused rows and their reasons to this file, to correct and import");
}
