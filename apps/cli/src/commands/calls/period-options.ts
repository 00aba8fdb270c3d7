import type { CliCommand } from "../../invocation/cli-command.js";
import type { Invocation } from "../../invocation/invocation.js";
import type { TimeOption } from "../../options/time-option.js";

/** Selects calls that started at or after `from`, and before `to`. */
export interface PeriodOptions {
  readonly from?: TimeOption;
  readonly to?: TimeOption;
}

export function addPeriodOptions(command: CliCommand, parseTime: (text: string) => TimeOption): CliCommand {
  const from = "only calls that started at or after this time, such as 7d ago or 2026-11-01T00:00:00Z";
  const to = "only calls that started before this time, such as 1d ago or 2026-12-01T00:00:00Z";
  return command.option("--from <time>", from, parseTime).option("--to <time>", to, parseTime);
}

export async function resolvePeriod(invocation: Invocation, { from, to }: PeriodOptions) {
  return { from: await invocation.timeOf(from), to: await invocation.timeOf(to) };
}
