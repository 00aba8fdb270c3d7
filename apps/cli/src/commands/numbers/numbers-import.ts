import {
  CreatePhoneNumberRequestSchema,
  PhoneNumberService,
} from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { ConnectError, createContextValues } from "@connectrpc/connect";
import { idempotentContextKey } from "../../connection/retry/retryable.js";
import { formatColumnsHelp } from "../../import/import-columns.js";
import { addImportOptions, type ImportOptions } from "../../import/import-options.js";
import type { RowFields } from "../../import/import-row.js";
import { findErrorReason, type RowOutcome } from "../../import/row-outcome.js";
import type { RowSender } from "../../import/row-sender.js";
import { runImport } from "../../import/run-import.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { Invocation } from "../../invocation/invocation.js";

const rerunHelp = `
Repeated imports:
  Numbers that are already registered for the account are skipped, even if other
  columns differ.
`;

export function addNumbersImportCommand(numbers: CliCommand): void {
  addImportOptions(
    numbers.command("import").description("register the phone numbers that a file lists").accountArgument(),
    16,
  )
    .run(async (invocation, account: string, file: string, options: ImportOptions) => {
      const prepare = () => prepareNumbers(invocation, account);
      await runImport(invocation, { request: CreatePhoneNumberRequestSchema, file, options, prepare });
    })
    .addHelpText("after", formatColumnsHelp(CreatePhoneNumberRequestSchema) + rerunHelp.trimEnd())
    .examples(
      "calltrack numbers import acme numbers.csv --rejects rejected.csv",
      "cut -d, -f1 customers.csv | calltrack numbers import acme -",
    );
}

async function prepareNumbers(invocation: Invocation, accountId: string): Promise<RowSender> {
  // Fails if the account is unknown, so that the error is reported once instead of for every row.
  await invocation.client(PhoneNumberService).listPhoneNumbers({ accountId, pageSize: 1 });
  const client = invocation.client(PhoneNumberService, invocation.host.interrupt.drop);
  const register = async (fields: RowFields): Promise<RowOutcome> => {
    // Safe to retry: if the first response is lost, the retry reports that the number is already registered.
    const contextValues = createContextValues().set(idempotentContextKey, true);
    const registered = client.createPhoneNumber({ ...fields, accountId }, { contextValues });
    return await registered.then(() => ({ kind: "created" }), alreadyThere);
  };
  return { batchSize: 1, send: (rows) => Promise.all(rows.map(register)) };
}

function alreadyThere(error: unknown): RowOutcome {
  if (error instanceof ConnectError && findErrorReason(error) === "PHONE_NUMBER_ALREADY_REGISTERED") {
    return { kind: "already there" };
  }
  throw error;
}
