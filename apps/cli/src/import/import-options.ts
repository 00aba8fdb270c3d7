import { type Command, Option } from "commander";
import { parseCountOption } from "../option-value.js";
import { type RowFormatName, rowFormatNames } from "./open-row-file.js";

/** The options that every import takes. */
export interface ImportOptions {
  readonly format?: RowFormatName;
  readonly concurrency: number;
  readonly rejects?: string;
}

/** Adds the file and the options that every import takes to its command; `concurrency` is the default. */
export function addImportOptions(command: Command, concurrency = 16): Command {
  return command
    .argument("<file>", "a file that ends in .csv, .jsonl or .ndjson, or - for standard input")
    .addOption(
      new Option(
        "--format <format>",
        "the format of the file (default: by its ending, csv for standard input)",
      ).choices(rowFormatNames),
    )
    .option("--concurrency <count>", "how many requests are sent at once", parseCountOption, concurrency)
    .option("--rejects <file>", "replace this file by the refused rows, each with its reason, to put right and import");
}
