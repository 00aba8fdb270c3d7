import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  CallExplanationSchema,
  CallFlowService,
  CallStepExplanationSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import { parseTimestampOption } from "../../options/time-option.js";
import { rowFromMessage } from "../../output/output-row.js";

interface ExplainOptions {
  readonly phoneSystem?: string;
  readonly at?: Timestamp;
  readonly caller?: string;
  readonly redirectedBy?: string;
}

const UNKNOWN_PHONE_SYSTEM =
  "The number is not connected to a phone system, so the explanation assumes that every step is possible.";

export function addCallsExplainCommand(calls: CliCommand): void {
  calls
    .command("explain")
    .description("show what would happen to a call to a tracking number, step by step, and why")
    .argument("<number>", "the dialed number in E.164 format, such as +14155550142")
    .option("--phone-system <id>", "the phone system at which the call arrives (default: the number's phone system)")
    .option("--at <time>", "when the call starts, such as 2026-12-25T08:30:00Z (default: now)", parseTimestampOption)
    .option(
      "--caller <number>",
      "the caller's number, which determines whether the call is rejected as a loop (default: withheld)",
    )
    .option(
      "--redirected-by <number>",
      "the number that redirected the call; like the caller's number, this number determines whether the call is rejected as a loop",
    )
    .run(async (invocation, trackingNumber: string, options: ExplainOptions) => {
      const { phoneSystem: phoneSystemId, at, caller: callerNumber, redirectedBy: redirectingNumber } = options;
      const request = { trackingNumber, phoneSystemId, callerNumber, redirectingNumber, ...(at && { at }) };
      const message = await invocation.client(CallFlowService).explainCall(request);
      const { steps: _, ...facts } = rowFromMessage(CallExplanationSchema, message);
      const [view, itemView] = [{ schema: CallExplanationSchema }, { schema: CallStepExplanationSchema }];
      const remarks = message.phoneSystemId === undefined ? [UNKNOWN_PHONE_SYSTEM] : [];
      await invocation.showReport({ view, message, itemView, items: message.steps, facts, remarks });
    })
    .examples(
      "calltrack calls explain +14155550142",
      "calltrack calls explain +14155550142 --at 2026-12-25T08:30:00Z",
      "calltrack calls explain +14155550142 --caller +12125550123 --redirected-by +14155550143",
    );
}
