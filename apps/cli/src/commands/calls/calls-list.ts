import { type CallOutcome, CallOutcomeSchema, CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { groupIntoPages } from "../../connection/group-into-pages.js";
import { readListPages } from "../../connection/read-list-pages.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { Invocation } from "../../invocation/invocation.js";
import { createEnumOption } from "../../options/enum-option.js";
import { parsePastTimeOption } from "../../options/time-option.js";
import { callView } from "./call-view.js";
import { addPeriodOptions, type PeriodOptions, resolvePeriod } from "./period-options.js";

interface FilterOptions extends PeriodOptions {
  readonly pool?: string;
  readonly property?: string;
  readonly source?: string;
  readonly medium?: string;
  readonly outcome?: CallOutcome;
  readonly caller?: string;
  readonly rejected?: string;
}

interface ListOptions extends FilterOptions {
  readonly limit?: number;
}

export function addCallsListCommand(calls: CliCommand): void {
  addFilterOptions(calls.command("list").watchOption().description("list the calls of an account, newest first"))
    .limitOption()
    .run(async (invocation, accountId: string, { limit, ...filter }: ListOptions) => {
      const client = invocation.client(CallService);
      const request = { accountId, ...(await filterOf(invocation, filter)) };
      const pages = readListPages((page) => client.listCalls({ ...request, ...page }), limit);
      await invocation.showList(callView, pages);
    })
    .examples(
      "calltrack calls list acme --from 7d --outcome missed",
      "calltrack calls list acme --caller +12125550123 --limit 10",
    );
}

export function addCallsExportCommand(calls: CliCommand): void {
  const description = "export all calls of an account, newest first; the default format is ndjson";
  addFilterOptions(calls.command("export").description(description))
    .run(async (invocation, accountId: string, options: FilterOptions) => {
      const request = { accountId, ...(await filterOf(invocation, options)) };
      // No deadline: --timeout applies only to unary requests, and an export can take a long time.
      const stream = invocation.client(CallService).exportCalls(request, { timeoutMs: 0 });
      await invocation.showList(callView, groupIntoPages(stream));
    }, "ndjson")
    .examples(
      "calltrack calls export acme > calls.jsonl",
      "calltrack calls export acme --from 2026-11-01T00:00:00Z --to 2026-12-01T00:00:00Z --output csv > november.csv",
    );
}

function addFilterOptions(command: CliCommand): CliCommand {
  const filtered = command
    .accountArgument()
    .option("--pool <id>", "only calls to this pool")
    .option("--property <token>", "only calls to pools of this property")
    .option("--source <source>", "only calls attributed to this source")
    .option("--medium <medium>", "only calls attributed to this medium")
    .addOption(createEnumOption("--outcome <outcome>", "only calls with this outcome", CallOutcomeSchema))
    .option("--caller <number>", "only calls from this number")
    .option("--rejected <reason>", "only calls that were rejected for this reason: LOOP or REPEATED");
  return addPeriodOptions(filtered, parsePastTimeOption);
}

async function filterOf(invocation: Invocation, options: FilterOptions) {
  const { pool: poolId, property: propertyToken, caller: callerNumber, rejected: rejectReason, ...filter } = options;
  const period = await resolvePeriod(invocation, options);
  return { ...filter, ...period, poolId, propertyToken, callerNumber, rejectReason };
}
