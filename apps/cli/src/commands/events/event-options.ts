import type { MessageInitShape } from "@bufbuild/protobuf";
import { EventSchema, type WatchEventsRequestSchema } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { Option } from "commander";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { Invocation } from "../../invocation/invocation.js";
import { parsePastTimeOption, type TimeOption } from "../../options/time-option.js";

export interface EventSelectionOptions {
  readonly type?: readonly string[];
  readonly since?: TimeOption;
  readonly cursor?: string;
  readonly limit?: number;
}

/** The kinds of resources whose events do not contain the resource. */
const HIDDEN_KINDS = ["webhook_endpoint"];

/** A pattern, such as `call.*`, for each kind of resource. Event types are not listed, because a newer server may have more. */
const KINDS = [...EventSchema.oneofs.flatMap(({ fields }) => fields.map(({ name }) => name)), ...HIDDEN_KINDS].map(
  (kind) => `${kind}.*`,
);

/**
 * @param start the phrase that describes the default start in the help, such as `new events`.
 */
export function addEventSelectionOptions(command: CliCommand, start: string): CliCommand {
  command
    .argument(
      "[account]",
      "the account's token or id (default: the events of all accounts, and events that belong to no account)",
    )
    .addOption(
      createEventTypesOption(
        "--type <type>",
        'only events of this type, such as call.ended or "call.*"; can be repeated',
      ),
    );
  return addEventStartOptions(command, start).limitOption();
}

/** Creates a repeatable option whose value is the list of all event types that the user passed. */
export function createEventTypesOption(flags: string, description: string): Option {
  // The choices are only for help and completion, because `argParser` replaces the parser that `choices` sets.
  return new Option(flags, description)
    .choices(KINDS)
    .argParser<readonly string[]>((text, others = []) => [...others, text]);
}

/**
 * @param start the phrase that describes the default start in the help, such as `new events`.
 */
export function addEventStartOptions(command: CliCommand, start: string): CliCommand {
  const since = "only events since this time, such as 1h ago or 2026-11-20T00:00:00Z";
  const cursor = new Option(
    "--cursor <cursor>",
    `start after this cursor, or with new events if the cursor is "now" (default: start with ${start})`,
  );
  return command.option("--since <time>", since, parsePastTimeOption).addOption(cursor.conflicts("since"));
}

/** Returns the request for the events that the options select. */
export async function createEventSelectionRequest(
  invocation: Invocation,
  accountId: string | undefined,
  { type: types = [], since, cursor }: EventSelectionOptions,
) {
  const from = await invocation.timeOf(since);
  return { accountId, types: [...types], from, cursor } satisfies MessageInitShape<typeof WatchEventsRequestSchema>;
}

/** Tells the user how to continue after this cursor in a later run. */
export function printResumeHint(invocation: Invocation, cursor: string): void {
  invocation.notify(`Continue with --cursor ${cursor}\n`);
}
