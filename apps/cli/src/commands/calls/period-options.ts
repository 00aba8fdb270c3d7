import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { CliCommand } from "../../invocation/cli-command.js";

/** The options for the time in which calls started. */
export interface PeriodOptions {
  readonly from?: Timestamp;
  readonly to?: Timestamp;
}

/** Adds the options, with a parser of their times. */
export function addPeriodOptions(command: CliCommand, parseTime: (text: string) => Timestamp): CliCommand {
  const from = "only calls that started at or after this time, such as 7d ago or 2026-11-01T00:00:00Z";
  const to = "only calls that started before this time, such as 1d ago or 2026-12-01T00:00:00Z";
  return command.option("--from <time>", from, parseTime).option("--to <time>", to, parseTime);
}
