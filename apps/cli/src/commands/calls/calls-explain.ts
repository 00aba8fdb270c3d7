import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  CallExplanationSchema,
  CallFlowService,
  CallStepExplanationSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import type { Command } from "commander";
import { createAction } from "../../invocation/create-action.js";
import { addExamples } from "../../options/command-examples.js";
import { parseTimestampOption } from "../../options/time-option.js";
import { rowFromMessage } from "../../output/resource-row.js";
import type { Host } from "../../process/host.js";

interface ExplainOptions {
  readonly phoneSystem?: string;
  readonly at?: Timestamp;
}

const UNKNOWN_PHONE_SYSTEM = "The number names no phone system: every step counts as possible.";

/** Adds `calls explain`. */
export function addCallsExplain(calls: Command, host: Host): void {
  const explain = calls
    .command("explain")
    .description("show what a call to a tracking number would do, step by step, and why")
    .argument("<number>", "the dialled number in E.164 format, such as +14155550142")
    .option("--phone-system <id>", "the phone system that the call arrives at (default: the one of the number)")
    .option("--at <time>", "when the call starts, such as 2026-12-25T08:30:00Z (default: now)", parseTimestampOption)
    .action(
      createAction(host, async (invocation, trackingNumber: string, { phoneSystem, at }: ExplainOptions) => {
        const request = { trackingNumber, phoneSystemId: phoneSystem, ...(at && { at }) };
        const message = await invocation.client(CallFlowService).explainCall(request, invocation.call);
        const { steps: _, ...facts } = rowFromMessage(CallExplanationSchema, message);
        const [view, itemView] = [{ schema: CallExplanationSchema }, { schema: CallStepExplanationSchema }];
        const remarks = message.phoneSystemId === undefined ? [UNKNOWN_PHONE_SYSTEM] : [];
        await invocation.showReport({ view, message, itemView, items: message.steps, facts, remarks });
      }),
    );
  addExamples(explain, [
    "calltrack calls explain +14155550142",
    "calltrack calls explain +14155550142 --at 2026-12-25T08:30:00Z",
  ]);
}
