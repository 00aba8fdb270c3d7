import { randomUUID } from "node:crypto";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { TrafficService } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import type { Command } from "commander";
import { addExamples } from "../command-examples.js";
import { createAction } from "../create-action.js";
import type { Host } from "../host.js";
import { addVisitsImport } from "../import/visits-import.js";
import { parseTimestampOption } from "../moment-option.js";
import { parseCountOption } from "../option-value.js";
import { UnansweredError } from "../unanswered-error.js";
import { wasNeverSent, wasNotAnswered } from "../unreachable.js";

/** Gives `visits` the commands on the visits by which automanaged pools choose sources. */
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

const againHelp = `
Trying again:
  A record is counted once under its event id. Where no answer comes, the event id
  is written down: the same command with --event-id never counts the visits twice,
  if it runs within two days.
`;

function addRecord(visits: Command, host: Host): void {
  const record = visits
    .command("record")
    .description("record visits of a property from one source")
    .argument("<account>", "the account's token or id")
    .requiredOption("--property <token>", "the identifier on the platform of the property that was visited")
    .requiredOption("--source <source>", "where the visits come from, such as google")
    .requiredOption("--medium <medium>", "the kind of the visits, such as cpc")
    .option("--count <count>", "how many visits (default: 1)", parseCountOption)
    .option("--at <time>", "when they happened, such as 2026-11-21T08:30:00Z (default: now)", parseTimestampOption)
    .option("--event-id <id>", "a name that no other record of the account has (default: a new one)")
    .action(
      createAction(host, async (invocation, accountId: string, options: RecordOptions) => {
        const { property: propertyToken, at: occurredAt, eventId = randomUUID(), ...visit } = options;
        const visits = [{ ...visit, propertyToken, occurredAt, eventId }];
        const client = invocation.client(TrafficService);
        const response = await client.recordVisits({ accountId, visits }, invocation.call).catch((error) => {
          throw wasNotAnswered(error) && !wasNeverSent(error)
            ? new UnansweredError(tryAgainText(eventId), error)
            : error;
        });
        const { recorded, duplicates, expired } = response;
        await invocation.showRow({ event_id: eventId, recorded, duplicates, expired });
      }),
    )
    .addHelpText("after", againHelp.trimEnd());
  addExamples(record, [
    "calltrack visits record acme --property www --source google --medium cpc",
    "calltrack visits record acme --property www --source google --medium cpc --count 120 --at 2026-11-21T08:30:00Z",
  ]);
}

function tryAgainText(eventId: string): string {
  return `The visits may be recorded or not: run it again with --event-id ${eventId}, and they are counted once.`;
}
