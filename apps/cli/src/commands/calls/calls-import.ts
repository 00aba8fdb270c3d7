import { create } from "@bufbuild/protobuf";
import { DomainError, type FieldViolation, parseBatchCreateCalls } from "@calltrack/domain";
import {
  BatchCreateCallsRequestSchema,
  type BatchCreateCallsResponse,
  CallService,
  CreateCallRequestSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Command } from "commander";
import { columnsHelp } from "../../import/import-columns.js";
import { addImportOptions, type ImportOptions } from "../../import/import-options.js";
import type { RowFields } from "../../import/import-row.js";
import { outcomesOfBatch, type RowOutcome } from "../../import/row-outcome.js";
import type { RowSender } from "../../import/row-sender.js";
import { runImport } from "../../import/run-import.js";
import { createAction } from "../../invocation/create-action.js";
import type { Invocation } from "../../invocation/invocation.js";
import { addExamples } from "../../options/command-examples.js";
import type { Host } from "../../process/host.js";

/** Max calls in one request. */
const BATCH_SIZE = 1000;

const rerunHelp = `
Running it again:
  If the account already has a call with the same call_id, the row is skipped as
  already there. It is refused if its tracking_number, caller_number or started_at
  differs from the existing call.
`;

/** Adds `calls import`. */
export function addCallsImport(calls: Command, host: Host): void {
  const description = "record the calls in a file, each for the account that held its number when the call started";
  const command = addImportOptions(calls.command("import").description(description))
    .action(
      createAction(host, async (invocation, file: string, options: ImportOptions) => {
        const prepare = async () => createCallSender(invocation);
        await runImport(invocation, { request: CreateCallRequestSchema, file, options, findProblems, prepare });
      }),
    )
    .addHelpText("after", columnsHelp(CreateCallRequestSchema) + rerunHelp.trimEnd());
  addExamples(command, [
    "calltrack calls import calls.csv --rejects refused.csv",
    "read-call-log | calltrack calls import - --format jsonl",
  ]);
}

/** Accepts every past and future start: only the service knows its clock and how long it keeps calls. */
const ANY_PERIOD = { now: new Date(8.64e15), retentionMs: Number.POSITIVE_INFINITY };

/** Applies the service's validation rules. */
function findProblems(fields: RowFields): readonly FieldViolation[] {
  const request = create(BatchCreateCallsRequestSchema, { calls: [fields] });
  const [call] = parseBatchCreateCalls(request, ANY_PERIOD);
  return call instanceof DomainError && call.is("FIELD_INVALID") ? call.facts.violations : [];
}

function createCallSender(invocation: Invocation): RowSender {
  const client = invocation.client(CallService);
  const signal = invocation.host.interrupt.drop;
  return {
    batchSize: BATCH_SIZE,
    listField: "calls",
    send: async (rows) => outcomesOf(rows, await client.batchCreateCalls({ calls: [...rows] }, { signal })),
  };
}

function outcomesOf(rows: readonly RowFields[], { created, refused }: BatchCreateCallsResponse): RowOutcome[] {
  const refusals = new Map(refused.map(({ index, message: reason }) => [index, { kind: "refused", reason } as const]));
  return outcomesOfBatch(rows, created, (_, index) => refusals.get(index));
}
