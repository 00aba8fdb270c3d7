import { randomUUID } from "node:crypto";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { TrafficService } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import type { Command } from "commander";
import { throwWithRemedy } from "../../connection/unanswered-error.js";
import { createAction } from "../../invocation/create-action.js";
import { addExamples } from "../../options/command-examples.js";
import { parseCountOption } from "../../options/option-value.js";
import { parseTimestampOption } from "../../options/time-option.js";
import type { Host } from "../../process/host.js";
import { addVisitsImport } from "./visits-import.js";

/** Defines the subcommands of `visits`. */
export function defineVisits(visits: Command, host: Host): void {
  addExamples(visits, [
    "calltrack visits record acme --property www --source google --medium cpc",
    "calltrack visits import acme visits.csv",
  ]);
  addRecord(visits, host);
  addVisitsImport(visits, host);
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
  A record is counted once per event id. If no response arrives, the event id is
  printed: run the command again with --event-id within two days, and the visits
  are not counted twice.
`;

function addRecord(visits: Command, host: Host): void {
  const record = visits
    .command("record")
    .description("record visits to a property from one source")
    .argument("<account>", "the account's token or id")
    .requiredOption("--property <token>", "the visited property, by its token on the platform")
    .requiredOption("--source <source>", "the source of the visits, such as google")
    .requiredOption("--medium <medium>", "the medium of the visits, such as cpc")
    .option("--count <count>", "number of visits (default: 1)", parseCountOption)
    .option("--at <time>", "time of the visits, such as 2026-11-21T08:30:00Z (default: now)", parseTimestampOption)
    .option("--event-id <id>", "unique id of the record within the account (default: generated)")
    .action(
      createAction(host, async (invocation, accountId: string, options: RecordOptions) => {
        const { property: propertyToken, at: occurredAt, eventId = randomUUID(), ...visit } = options;
        const visits = [{ ...visit, propertyToken, occurredAt, eventId }];
        const client = invocation.client(TrafficService);
        const { recorded, duplicates, expired } = await client
          .recordVisits({ accountId, visits }, invocation.call)
          .catch((error) => throwWithRemedy(error, retryText(eventId)));
        await invocation.showRow({ event_id: eventId, recorded, duplicates, expired });
      }),
    )
    .addHelpText("after", retryHelp.trimEnd());
  addExamples(record, [
    "calltrack visits record acme --property www --source google --medium cpc",
    "calltrack visits record acme --property www --source google --medium cpc --count 120 --at 2026-11-21T08:30:00Z",
  ]);
}

function retryText(eventId: string): string {
  return `The visits may or may not be recorded: run the command again with --event-id ${eventId} to count them once.`;
}
