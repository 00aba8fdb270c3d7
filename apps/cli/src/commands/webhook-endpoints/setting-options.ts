import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { type WebhookPayload, WebhookPayloadSchema } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { DefaultDescriber } from "../../options/describe-default.js";
import { createEnumOption } from "../../options/enum-option.js";
import { parseDurationOption, parseIntegerOption } from "../../options/option-value.js";
import { createEventTypesOption } from "../events/event-options.js";

export interface EndpointSettingOptions {
  readonly description?: string;
  readonly type?: readonly string[];
  readonly payload?: WebhookPayload;
  readonly ordered?: boolean;
  readonly concurrency?: number;
  /** In milliseconds. */
  readonly maxAge?: number;
}

export function addEndpointSettingOptions(command: CliCommand, describe: DefaultDescriber): CliCommand {
  return addEventTypeAndPayloadOptions(
    command.option("--description <text>", "a note on the webhook endpoint's purpose"),
    describe,
  )
    .option("--ordered", describe("send the events of each resource in order", "in any order"))
    .option(
      "--concurrency <count>",
      describe("maximum number of concurrent requests, 1 to 50", "10"),
      parseIntegerOption,
    )
    .option(
      "--max-age <time>",
      describe("send no events of calls that started longer ago than this, such as 7d", "24h"),
      parseDurationOption,
    );
}

export function addEventTypeAndPayloadOptions(command: CliCommand, describe: DefaultDescriber): CliCommand {
  return command
    .addOption(
      createEventTypesOption(
        "--type <types...>",
        describe('send only these types, such as call.ended or "call.*"', "all"),
      ),
    )
    .addOption(
      createEnumOption(
        "--payload <payload>",
        describe("full events, or thin events, which omit the resource", "full"),
        WebhookPayloadSchema,
      ),
    );
}

export function createEndpointSettings({
  description,
  type,
  payload,
  ordered,
  concurrency,
  maxAge,
}: EndpointSettingOptions) {
  return {
    ...{ description, payload, ordered, concurrency },
    // `--type ""` becomes an empty list, which selects all types.
    types: type?.filter(Boolean),
    maxAge: maxAge === undefined ? undefined : durationFromMs(maxAge),
  };
}
