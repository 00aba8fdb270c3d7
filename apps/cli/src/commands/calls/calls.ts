import { CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { CallResolutionSchema, DniService } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { CliCommand, EtagOption } from "../../invocation/cli-command.js";
import { parsePastTimeOption, type TimeOption } from "../../options/time-option.js";
import { callView } from "./call-view.js";
import { addCallsExplainCommand } from "./calls-explain.js";
import { addCallsImportCommand } from "./calls-import.js";
import { addCallsExportCommand, addCallsListCommand } from "./calls-list.js";
import { addCallsRecordCommand } from "./calls-record.js";
import { addCallsReportCommand } from "./calls-report.js";

export function defineCommand(calls: CliCommand): void {
  addCallsRecordCommand(calls);
  addCallsListCommand(calls);
  addGet(calls);
  addCallsExportCommand(calls);
  addCallsImportCommand(calls);
  addCallsReportCommand(calls);
  addForget(calls);
  addResolve(calls);
  addCallsExplainCommand(calls);
  calls.subcommandExamples();
}

function addGet(calls: CliCommand): void {
  calls
    .command("get")
    .description("show one call of an account")
    .etagOption()
    .accountArgument()
    .argument("<call>", "the id that Calltrack assigned to the call")
    .run(async (invocation, accountId: string, id: string, options: EtagOption) => {
      const found = await invocation.client(CallService).getCall({ accountId, id });
      await invocation.showOrEtag(callView, found, options);
    })
    .examples("calltrack calls get acme 019aa352-6e1f-7b3a-9c4d-5e6f7a8b9c0d");
}

function addForget(calls: CliCommand): void {
  calls
    .command("forget")
    .description("erase a caller's number from all calls of an account; the calls remain")
    .accountArgument()
    .argument("<number>", "the caller's number in E.164 format, such as +12125550123")
    .run(async (invocation, accountId: string, callerNumber: string) => {
      const request = { accountId, callerNumber };
      const { calls: count } = await invocation.client(CallService).forgetCaller(request);
      await invocation.showRow({ calls: count });
    })
    .examples("calltrack calls forget acme +12125550123");
}

function addResolve(calls: CliCommand): void {
  calls
    .command("resolve")
    .description("show where a call to a tracking number is routed, and the source that the call counts for")
    .argument("<number>", "the dialed number in E.164 format, such as +14155550142")
    .option(
      "--at <time>",
      "when the call started, such as 2h ago or 2026-11-21T08:30:00Z (default: now)",
      parsePastTimeOption,
    )
    .run(async (invocation, trackingNumber: string, { at }: { at?: TimeOption }) => {
      const request = { trackingNumber, at: await invocation.timeOf(at) };
      const resolution = await invocation.client(DniService).resolveCall(request);
      await invocation.show({ schema: CallResolutionSchema }, resolution);
    })
    .examples("calltrack calls resolve +14155550142", "calltrack calls resolve +14155550142 --at 2026-11-21T08:30:00Z");
}
