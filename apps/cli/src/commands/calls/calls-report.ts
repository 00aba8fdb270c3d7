import { CallGroupingSchema, CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import { requireOptionValue } from "../../options/option-value.js";
import { parsePastDayOption } from "../../options/time-option.js";
import { findEnumNumber, listEnumNames } from "../../text/enum-name.js";
import { createCallReportView } from "./call-view.js";
import { addPeriodOptions, type PeriodOptions, resolvePeriod } from "./period-options.js";

const GROUPINGS = listEnumNames(CallGroupingSchema);

const GROUPINGS_TEXT = `one or more of ${GROUPINGS.join(", ")}, separated by commas`;

interface ReportOptions extends PeriodOptions {
  readonly groupBy: readonly string[];
  readonly timeZone?: string;
}

const visitsHelp = `
Visits:
  The report includes visits if --group-by names only source, medium, channel, property
  or day, the time zone is UTC, and each row covers whole days within the visit window.
  With day, each row covers one day; otherwise, it covers the time from --from to --to.
  Without --to, the current day counts as a whole day. A number of days, such as 7d ago,
  starts at midnight UTC.
`;

export function addCallsReportCommand(calls: CliCommand): void {
  const report = calls
    .command("report")
    .description("count the calls and visits of an account, grouped by source or by the fields that --group-by names")
    .accountArgument()
    .option("--group-by <names>", GROUPINGS_TEXT, parseGroupings, ["source"]);
  addPeriodOptions(report, parsePastDayOption)
    .option("--time-zone <name>", "the time zone of days and hours, such as Europe/Berlin (default: UTC)")
    .run(async (invocation, accountId: string, { groupBy, ...options }: ReportOptions) => {
      const period = await resolvePeriod(invocation, options);
      const request = { accountId, ...options, ...period, groupBy: groupBy.map(groupingOf) };
      const { rows } = await invocation.client(CallService).reportCalls(request);
      const maxCalls = invocation.host.stdout.isTTY ? Math.max(0, ...rows.map((row) => row.calls)) : undefined;
      await invocation.showList(createCallReportView(groupBy, maxCalls), [rows]);
    })
    .addHelpText("after", visitsHelp.trimEnd())
    .examples(
      "calltrack calls report acme --from 7d",
      "calltrack calls report acme --group-by source,day --from 2026-11-01T00:00:00Z --to 2026-11-22T00:00:00Z",
      "calltrack calls report acme --group-by day,hour --time-zone Europe/Berlin --output csv > calls.csv",
    );
}

function groupingOf(name: string): number {
  return findEnumNumber(CallGroupingSchema, name) as number;
}

function parseGroupings(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  const areKnown = names.every((name) => GROUPINGS.includes(name));
  return requireOptionValue(areKnown ? names : undefined, `Must be ${GROUPINGS_TEXT}.`);
}
