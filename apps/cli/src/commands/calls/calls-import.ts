import { create } from "@bufbuild/protobuf";
import { DomainError, type FieldViolation, parseBatchCreateCalls, parseImportCallHistory } from "@calltrack/domain";
import {
  BatchCreateCallsRequestSchema,
  CreateCallRequestSchema,
  HistoricCallSchema,
  ImportCallHistoryRequestSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { type CallLogFormat, ORIGIN_KEYS } from "../../call-logs/call-log-format.js";
import { type CallLogFormatName, callLogFormats } from "../../call-logs/call-log-formats.js";
import { createLogJoining, ownColumnsJoining } from "../../call-logs/call-log-import.js";
import { createCallSender, createHistorySender } from "../../call-logs/call-sender.js";
import type { NumberOptions } from "../../call-logs/log-number.js";
import { mappingKeys, readMappingFile } from "../../call-logs/mapping-file.js";
import { columnsHelp } from "../../import/import-columns.js";
import { addImportOptions, addTimeZoneOption, type ImportOptions } from "../../import/import-options.js";
import type { RowFields } from "../../import/import-row.js";
import type { RowFormatName } from "../../import/open-row-file.js";
import { runImport } from "../../import/run-import.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import { requireValue } from "../../options/option-value.js";
import { UsageError } from "../../process/usage-error.js";

interface CallImportOptions extends ImportOptions<RowFormatName | CallLogFormatName>, NumberOptions {
  readonly mapping?: string;
  /** The account of calls from the time before Calltrack. */
  readonly history?: string;
}

const logNames = Object.keys(callLogFormats);

const historyHelp = `
Calls from the time before Calltrack:
  --history <account> records calls to numbers that no call tracker had yet. The
  file has further columns, and a mapping file has keys with the same names:
    original_number   the number that the call was routed to (required)
    source, medium    where the call came from
    property_token    the property whose page showed the number
`;

const logHelp = `
Call logs of phone systems:
  --format ${logNames.join(" | ")}
  reads the log as that phone system writes it. --mapping reads any other log
  or, together with --format, changes a built-in format. Keys of a mapping file:
${wrapped(mappingKeys)}
  Rows of one call are joined. Outbound calls, internal calls, and calls to
  numbers that are not tracking numbers are skipped. See docs/call-logs.md.
`;

const rerunHelp = `
Rows of one call, and running it again:
  Rows with the same call_id and tracking_number are one call. It starts with the
  earliest row, and is answered if one of the rows is. An existing call counts as
  already there, or is completed if it was in progress. A call that ended with
  different facts is reported as different, and not changed. A call whose
  caller_number or started_at differs from the existing call's is rejected.
`;

export function addCallsImport(calls: CliCommand): void {
  const description = "record the calls in a file, each for the account that held its number when the call started";
  const importCalls = addImportOptions(calls.command("import").description(description), undefined, logNames);
  addTimeZoneOption(importCalls)
    .option(
      "--history <account>",
      "record calls of this account from the time before Calltrack, with the sources in the file",
    )
    .option("--mapping <file>", "a YAML or JSON file that names the columns of a call log")
    .option("--country <digits>", "the country calling code of national numbers in a call log, such as 49", (digits) =>
      requireValue(/^\+?([1-9]\d{0,2})$/.exec(digits)?.[1], "Must be a country calling code, such as 49."),
    )
    .option("--trunk-prefix <digits>", "the prefix of national numbers (default: the country's prefix, if known)")
    .run(async (invocation, file: string, options: CallImportOptions) => {
      const { history } = options;
      const request = history === undefined ? CreateCallRequestSchema : HistoricCallSchema;
      const findProblems = history === undefined ? callProblems : historyProblems;
      const task = { request, file, mapping: options.mapping, findProblems };
      const format = logFormatOf(options);
      const joining =
        format === undefined ? ownColumnsJoining : createLogJoining(format, options, (line) => invocation.notify(line));
      const prepare = async () =>
        history === undefined
          ? createCallSender(invocation, format !== undefined)
          : createHistorySender(invocation, history);
      await runImport(invocation, { ...task, options: rowOptionsOf(file, options), joining, prepare });
    })
    .addHelpText("after", columnsHelp(CreateCallRequestSchema) + historyHelp + logHelp + rerunHelp.trimEnd())
    .examples(
      "calltrack calls import calls.csv --rejects rejected.csv",
      "calltrack calls import Master.csv --format asterisk --country 49",
      "read-call-log | calltrack calls import - --format jsonl",
      "calltrack calls import last-year.csv --history acme",
    );
}

/** Returns the format of a call log; undefined for a file with Calltrack's own columns. */
function logFormatOf({ format, mapping, history, country, trunkPrefix }: CallImportOptions): CallLogFormat | undefined {
  const base = isLogName(format) ? callLogFormats[format] : undefined;
  if (mapping !== undefined) {
    const read = readMappingFile(mapping, base);
    const [origin] = [...ORIGIN_KEYS, "origins" as const].filter((key) => read[key] !== undefined);
    if (origin !== undefined && history === undefined)
      throw new UsageError(
        `${mapping}: ${origin} is for calls from the time before Calltrack: name their account with --history`,
      );
    return read;
  }
  if (base === undefined && (country !== undefined || trunkPrefix !== undefined))
    throw new UsageError(
      "--country and --trunk-prefix apply only to call logs: name the format with --format or --mapping",
    );
  return base;
}

function isLogName(format: string | undefined): format is CallLogFormatName {
  return format !== undefined && logNames.includes(format);
}

/** Returns the options with the format of the file itself. A log without a known extension is CSV. */
function rowOptionsOf(file: string, { format, ...options }: CallImportOptions): ImportOptions {
  if (!isLogName(format)) return { ...options, ...(format && { format }) };
  return { ...options, format: /\.(?:jsonl|ndjson)$/i.test(file) ? "jsonl" : "csv" };
}

function wrapped(names: readonly string[]): string {
  const lines = [""];
  for (const name of names) {
    if ((lines.at(-1) ?? "").length + name.length > 72) lines.push("");
    lines.push(`${lines.pop()} ${name}`);
  }
  return lines.map((line) => `   ${line}`).join("\n");
}

/** Accepts every start: only the service knows the time, and how long it keeps calls. */
const ANY_PERIOD = { now: new Date(8.64e15), retentionMs: Number.POSITIVE_INFINITY };

/** Applies the service's validation rules to a call. */
function callProblems(fields: RowFields): readonly FieldViolation[] {
  const request = create(BatchCreateCallsRequestSchema, { calls: [fields] });
  return violationsOf(parseBatchCreateCalls(request, ANY_PERIOD)[0]);
}

/** Applies the service's validation rules to a call from the time before Calltrack. */
function historyProblems(fields: RowFields): readonly FieldViolation[] {
  const request = create(ImportCallHistoryRequestSchema, { accountId: "any", calls: [fields] });
  return violationsOf(parseImportCallHistory(request, ANY_PERIOD).calls[0]);
}

function violationsOf(call: unknown): readonly FieldViolation[] {
  return call instanceof DomainError && call.is("FIELD_INVALID") ? call.facts.violations : [];
}
