import type { MessageInitShape } from "@bufbuild/protobuf";
import { EventSchema, type WatchEventsRequestSchema } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { Option } from "commander";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { Invocation } from "../../invocation/invocation.js";
import { parsePastOption, type TimeOption } from "../../options/time-option.js";

/** The options that select events. */
export interface EventOptions {
  readonly type?: readonly string[];
  readonly since?: TimeOption;
  readonly cursor?: string;
  readonly limit?: number;
}

/** The kinds of resources whose events do not contain the resource. */
const HIDDEN_KINDS = ["webhook_endpoint"];

/** A pattern for each kind of resource. Single types are not listed, because a newer server may have more. */
const KINDS = [...EventSchema.oneofs.flatMap(({ fields }) => fields.map(({ name }) => name)), ...HIDDEN_KINDS].map(
  (kind) => `${kind}.*`,
);

/**
 * Adds the arguments and options that select events.
 *
 * @param start where the events begin by default.
 */
export function addEventOptions(command: CliCommand, start: string): CliCommand {
  command
    .argument("[account]", "the account's token or id (default: all events, including those of no account)")
    .addOption(
      eventTypesOption("--type <type>", 'only events of this type, such as call.ended or "call.*"; can be repeated'),
    );
  return addStartOptions(command, start).limitOption();
}

/** Creates an option that takes types of events, and whose value lists all of them. */
export function eventTypesOption(flags: string, description: string): Option {
  // The choices serve help and completion: `argParser` replaces the parser that `choices` sets.
  return new Option(flags, description)
    .choices(KINDS)
    .argParser<readonly string[]>((text, others = []) => [...others, text]);
}

/**
 * Adds the options that say where the events begin.
 *
 * @param start where they begin by default.
 */
export function addStartOptions(command: CliCommand, start: string): CliCommand {
  const since = "only events since this time, such as 1h ago or 2026-11-20T00:00:00Z";
  const cursor = new Option(
    "--cursor <cursor>",
    `continue after this cursor, or begin with new events if it is "now" (default: ${start})`,
  );
  return command.option("--since <time>", since, parsePastOption).addOption(cursor.conflicts("since"));
}

/** Returns the request for the events that the options select. */
export async function eventRequestOf(
  invocation: Invocation,
  accountId: string | undefined,
  { type: types = [], since, cursor }: EventOptions,
) {
  const from = await invocation.timeOf(since);
  return { accountId, types: [...types], from, cursor } satisfies MessageInitShape<typeof WatchEventsRequestSchema>;
}

/** Tells the user how to continue later. */
export function notifyCursor(invocation: Invocation, cursor: string): void {
  invocation.notify(`Continue with --cursor ${cursor}\n`);
}
