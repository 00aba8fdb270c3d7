import { randomUUID } from "node:crypto";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { type CallOutcome, CallOutcomeSchema, CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { rethrowWithRemedyIfUnanswered } from "../../connection/unanswered-request-error.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import { createEnumOption } from "../../options/enum-option.js";
import { parseTimestampOption } from "../../options/time-option.js";
import { callView } from "./call-view.js";

interface RecordOptions {
  readonly callId?: string;
  readonly caller?: string;
  readonly startedAt?: Timestamp;
  readonly answeredAt?: Timestamp;
  readonly endedAt?: Timestamp;
  readonly outcome?: CallOutcome;
  readonly recordingUrl?: string;
}

const retryHelp = `
Retries:
  A call id is recorded only once. If you repeat the command with the same
  --call-id, the command shows the existing call.
`;

export function addCallsRecordCommand(calls: CliCommand): void {
  calls
    .command("record")
    .description(
      "record a call to a tracking number, for the account whose pool contained the number when the call started",
    )
    .argument("<number>", "the dialed number in E.164 format, such as +14155550142")
    .option("--call-id <id>", "the id of the call in your phone system (default: a new UUID)")
    .option("--caller <number>", "the caller's number in E.164 format (default: withheld)")
    .option(
      "--started-at <time>",
      "when the call started, such as 2026-11-21T08:30:00Z (default: now)",
      parseTimestampOption,
    )
    .option("--answered-at <time>", "when the call was answered", parseTimestampOption)
    .option("--ended-at <time>", "when the call ended", parseTimestampOption)
    .addOption(
      createEnumOption(
        "--outcome <outcome>",
        "the outcome of the call (default: derived from its times)",
        CallOutcomeSchema,
      ),
    )
    .option("--recording-url <url>", "the URL of the recording")
    .run(async (invocation, trackingNumber: string, options: RecordOptions) => {
      const { callId = randomUUID(), caller: callerNumber, ...rest } = options;
      const request = { ...rest, callId, trackingNumber, callerNumber };
      const client = invocation.client(CallService);
      const call = await client
        .createCall(request)
        .catch((error) => rethrowWithRemedyIfUnanswered(error, retryText(callId)));
      await invocation.show(callView, call);
    })
    .addHelpText("after", retryHelp.trimEnd())
    .examples(
      "calltrack calls record +14155550142 --call-id 1763713800.42 --caller +12125550123",
      "calltrack calls record +14155550142 --started-at 2026-11-21T08:30:00Z --ended-at 2026-11-21T08:30:20Z --outcome busy",
    );
}

function retryText(callId: string): string {
  return `The call may have been recorded. Retry with --call-id ${callId}: the call is recorded only once.`;
}
