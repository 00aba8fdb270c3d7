import { randomUUID } from "node:crypto";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { TrafficService } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import { rethrowWithRemedyIfUnanswered } from "../../connection/unanswered-request-error.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import { parseCountOption } from "../../options/option-value.js";
import { parseTimestampOption } from "../../options/time-option.js";
import { addVisitsImportCommand } from "./visits-import.js";

export function defineCommand(visits: CliCommand): void {
  addRecord(visits);
  addVisitsImportCommand(visits);
  visits.subcommandExamples();
}

interface RecordOptions {
  readonly property: string;
  readonly source: string;
  readonly medium: string;
  readonly count?: number;
  readonly at?: Timestamp;
  readonly eventId?: string;
}

const retryHelp = `
Retries:
  A record is counted only once per event id. If no response arrives, the command
  prints the event id. Run the command again with this --event-id within two days:
  the visits are then counted only once.
`;

function addRecord(visits: CliCommand): void {
  visits
    .command("record")
    .description("record visits to a property from one source")
    .accountArgument()
    .requiredOption("--property <token>", "the token of the visited property")
    .requiredOption("--source <source>", "the source of the visits, such as google")
    .requiredOption("--medium <medium>", "the medium of the visits, such as cpc")
    .option("--count <count>", "number of visits (default: 1)", parseCountOption)
    .option("--at <time>", "time of the visits, such as 2026-11-21T08:30:00Z (default: now)", parseTimestampOption)
    .option("--event-id <id>", "unique id of the record within the account (default: generated)")
    .run(async (invocation, accountId: string, options: RecordOptions) => {
      const { property: propertyToken, at: occurredAt, eventId = randomUUID(), ...visit } = options;
      const visits = [{ ...visit, propertyToken, occurredAt, eventId }];
      const client = invocation.client(TrafficService);
      const { recorded, duplicates, expired } = await client
        .recordVisits({ accountId, visits })
        .catch((error) => rethrowWithRemedyIfUnanswered(error, retryText(eventId)));
      await invocation.showRow({ event_id: eventId, recorded, duplicates, expired });
    })
    .addHelpText("after", retryHelp.trimEnd())
    .examples(
      "calltrack visits record acme --property www --source google --medium cpc",
      "calltrack visits record acme --property www --source google --medium cpc --count 120 --at 2026-11-21T08:30:00Z",
    );
}

function retryText(eventId: string): string {
  return `The visits may have been recorded. Retry with --event-id ${eventId}: they are counted only once.`;
}
