import {
  type AddTrackingNumbersResponse,
  InventoryService,
  NewTrackingNumberSchema,
} from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { formatColumnsHelp } from "../../import/import-columns.js";
import { addImportOptions, type ImportOptions } from "../../import/import-options.js";
import type { RowFields } from "../../import/import-row.js";
import { createBatchOutcomes, type RowOutcome } from "../../import/row-outcome.js";
import type { RowSender } from "../../import/row-sender.js";
import { runImport } from "../../import/run-import.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { Invocation } from "../../invocation/invocation.js";

/** Maximum number of tracking numbers per request. */
const BATCH_SIZE = 500;

const rerunHelp = `
Repeated imports:
  Numbers that are already in the inventory are skipped. If the area code differs,
  the row is rejected. If the row or --phone-system names a different phone system,
  the number is moved to that phone system.
`;

export function addInventoryImportCommand(inventory: CliCommand): void {
  const description = "add the tracking numbers in a file to the inventory";
  addImportOptions(inventory.command("import").description(description))
    .option("--phone-system <id>", "the phone system of numbers whose row names no phone system")
    .run(async (invocation, file: string, options: ImportOptions & PhoneSystemOption) => {
      const prepare = async () => createNumberSender(invocation, options.phoneSystem);
      await runImport(invocation, { request: NewTrackingNumberSchema, file, options, prepare });
    })
    .addHelpText("after", formatColumnsHelp(NewTrackingNumberSchema) + rerunHelp.trimEnd())
    .examples(
      "calltrack inventory import tracking-numbers.csv --rejects rejected.csv",
      "generate-numbers | calltrack inventory import - --format jsonl",
    );
}

interface PhoneSystemOption {
  readonly phoneSystem?: string;
}

function createNumberSender(invocation: Invocation, phoneSystemId: string | undefined): RowSender {
  const client = invocation.client(InventoryService, invocation.host.interrupt.drop);
  return {
    batchSize: BATCH_SIZE,
    listField: "tracking_numbers",
    async send(rows) {
      const trackingNumbers = rows.map((row) => ({ ...(phoneSystemId && { phoneSystemId }), ...row }));
      return outcomesOf(rows, await client.addTrackingNumbers({ trackingNumbers }));
    },
  };
}

function outcomesOf(rows: readonly RowFields[], { added, refused }: AddTrackingNumbersResponse): RowOutcome[] {
  const refusals = new Map(
    refused.map(({ phoneNumber, message: reason }) => [phoneNumber, { kind: "refused", reason } as const]),
  );
  return createBatchOutcomes(rows, added, ({ phoneNumber }) => refusals.get(String(phoneNumber)));
}
