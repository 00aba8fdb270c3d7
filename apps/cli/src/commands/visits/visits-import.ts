import { timestampMs } from "@bufbuild/protobuf/wkt";
import { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import {
  type RecordVisitsResponse,
  TrafficService,
  VisitRecordSchema,
} from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import { formatColumnsHelp } from "../../import/import-columns.js";
import { addImportOptions, addTimeZoneOption, type ImportOptions } from "../../import/import-options.js";
import type { RowFields } from "../../import/import-row.js";
import { createBatchOutcomes, type RowOutcome } from "../../import/row-outcome.js";
import type { RowSender } from "../../import/row-sender.js";
import { runImport } from "../../import/run-import.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { Invocation } from "../../invocation/invocation.js";

/** Maximum number of records per request. */
const BATCH_SIZE = 500;

const rerunHelp = `
Repeated imports:
  Records whose event_id was already counted within the last two days are skipped,
  even if other columns differ.
`;

export function addVisitsImportCommand(visits: CliCommand): void {
  addTimeZoneOption(
    addImportOptions(visits.command("import").description("record the visits that a file lists").accountArgument()),
  )
    .run(async (invocation, account: string, file: string, options: ImportOptions) => {
      const prepare = () => prepareVisits(invocation, account);
      await runImport(invocation, { request: VisitRecordSchema, file, options, prepare });
    })
    .addHelpText("after", formatColumnsHelp(VisitRecordSchema) + rerunHelp.trimEnd())
    .examples(
      "calltrack visits import acme visits.csv --rejects rejected.csv",
      "read-log | calltrack visits import acme - --format jsonl",
    );
}

async function prepareVisits(invocation: Invocation, accountId: string): Promise<RowSender> {
  // Fails if the account is unknown, so that the error is reported once instead of for every row.
  await invocation.client(PhoneNumberService).listPhoneNumbers({ accountId, pageSize: 1 });
  const client = invocation.client(TrafficService, invocation.host.interrupt.drop);
  return {
    batchSize: BATCH_SIZE,
    listField: "visits",
    send: async (rows) => outcomesOf(rows, await client.recordVisits({ accountId, visits: [...rows] })),
  };
}

/**
 * Converts the response, which contains only counts, to an outcome for each row. The expired visits are those in the oldest rows. It is
 * unknown which of the other rows are duplicates.
 */
function outcomesOf(rows: readonly RowFields[], { recorded, expired }: RecordVisitsResponse): RowOutcome[] {
  const oldestFirst = rows.toSorted((one, other) => timeOf(one) - timeOf(other));
  const tooOld = new Set(oldestFirst.slice(0, expired));
  const reason = "occurred_at is before the visit window, so the visits are not counted";
  return createBatchOutcomes(rows, recorded, (row) => (tooOld.has(row) ? { kind: "refused", reason } : undefined));
}

/** Returns the time of a row in milliseconds since 1970. A row without a time is about current visits, so it sorts last. */
function timeOf({ occurredAt }: RowFields): number {
  return typeof occurredAt === "object" ? timestampMs(occurredAt) : Number.POSITIVE_INFINITY;
}
