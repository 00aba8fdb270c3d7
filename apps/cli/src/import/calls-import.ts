import {
  type BatchCreateCallsResponse,
  CallService,
  CreateCallRequestSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Command } from "commander";
import { addExamples } from "../command-examples.js";
import { createAction } from "../create-action.js";
import type { Host } from "../host.js";
import type { Invocation } from "../invocation.js";
import { columnsHelp } from "./import-columns.js";
import { addImportOptions, type ImportOptions } from "./import-options.js";
import type { RowFields } from "./import-row.js";
import type { RowOutcome } from "./row-outcome.js";
import type { RowSender } from "./row-sender.js";
import { runImport } from "./run-import.js";

/** How many calls one request has. */
const BATCH_SIZE = 1000;

/** How many requests are sent at once: each is much work for the service. */
const CONCURRENCY = 4;

const rerunHelp = `
Running it again:
  A call whose call_id the account has already is passed over as already there, if
  its tracking_number, caller_number and started_at are the same; else it is refused.
`;

/** Adds `calls import`. */
export function addCallsImport(calls: Command, host: Host): void {
  const description = "record the calls in a file, each for the account that held its number when it rang";
  const command = addImportOptions(calls.command("import").description(description), CONCURRENCY)
    .action(
      createAction(host, async (invocation, file: string, options: ImportOptions) => {
        const prepare = async () => createCallSender(invocation);
        await runImport(invocation, { request: CreateCallRequestSchema, file, options, prepare });
      }),
    )
    .addHelpText("after", columnsHelp(CreateCallRequestSchema) + rerunHelp.trimEnd());
  addExamples(command, [
    "calltrack calls import calls.csv --rejects refused.csv",
    "read-call-log | calltrack calls import - --format jsonl",
  ]);
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

/** The response names the refused calls by their places, and counts the others. */
function outcomesOf(rows: readonly RowFields[], { created, refused }: BatchCreateCallsResponse): RowOutcome[] {
  const reasons = new Map(refused.map(({ index, message }) => [index, message]));
  let recorded = 0;
  return rows.map((_, index) => {
    const reason = reasons.get(index);
    if (reason !== undefined) return { kind: "refused", reason };
    recorded += 1;
    return { kind: recorded <= created ? "created" : "already there" };
  });
}
