import { create } from "@bufbuild/protobuf";
import {
  DomainError,
  type FieldViolation,
  parseBatchCreateCallsRequest,
  parseImportCallHistoryRequest,
} from "@calltrack/domain";
import {
  BatchCreateCallsRequestSchema,
  CreateCallRequestSchema,
  HistoricCallSchema,
  ImportCallHistoryRequestSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { CALL_ORIGIN_KEYS, type CallLogFormat } from "../../call-logs/call-log-format.js";
import { type CallLogFormatName, callLogFormats } from "../../call-logs/call-log-formats.js";
import { calltrackFileRowJoiner, createCallLogRowJoiner } from "../../call-logs/call-log-import.js";
import { createCallHistorySender, createCallSender } from "../../call-logs/call-sender.js";
import type { NationalNumberOptions } from "../../call-logs/log-number.js";
import { MAPPING_FILE_KEYS, readMappingFile } from "../../call-logs/mapping-file.js";
import { formatColumnsHelp } from "../../import/import-columns.js";
import { addImportOptions, addTimeZoneOption, type ImportOptions } from "../../import/import-options.js";
import type { RowFields } from "../../import/import-row.js";
import type { RowFormatName } from "../../import/open-row-file.js";
import { runImport } from "../../import/run-import.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import { requireOptionValue } from "../../options/option-value.js";
import { UsageError } from "../../process/usage-error.js";

interface CallImportOptions extends ImportOptions<RowFormatName | CallLogFormatName>, NationalNumberOptions {
  readonly mapping?: string;
  /** The account whose calls from the time before Calltrack are imported. */
  readonly history?: string;
}

const logNames = Object.keys(callLogFormats);

const historyHelp = `
Calls from the time before Calltrack:
  --history <account> records calls that arrived before a call tracker had the dialed
  number. The file has these columns too, and a mapping file has keys with their names:
    original_number   the number that the call was routed to (required)
    source, medium    where the call came from
    property_token    the property whose page showed the number
`;

const logHelp = `
Call logs of phone systems:
  --format ${logNames.join(" | ")}
  reads the log as that phone system writes it. --mapping reads any other log
  or, together with --format, changes a built-in format. Keys of a mapping file:
${wrapped(MAPPING_FILE_KEYS)}
  Rows of one call are joined. Outbound calls, internal calls, and calls to
  numbers that are not tracking numbers are skipped. See docs/call-logs.md.
`;

const rerunHelp = `
Rows of one call, and repeated imports:
  Rows with the same call_id and tracking_number are one call. The call starts with
  its earliest row, and is answered if one of its rows is answered. An existing call
  counts as already there, or is completed if it was in progress. An existing call that
  ended with different facts is reported as different, and not changed. A call whose
  caller_number or started_at differs from the existing call's is rejected.
`;

export function addCallsImportCommand(calls: CliCommand): void {
  const description =
    "record the calls that a file lists, each for the account whose pool contained the dialed number when the call started";
  const importCalls = addImportOptions(calls.command("import").description(description), undefined, logNames);
  addTimeZoneOption(importCalls)
    .option(
      "--history <account>",
      "record calls of this account from the time before Calltrack, with the sources in the file",
    )
    .option("--mapping <file>", "a YAML or JSON file that names the columns of a call log")
    .option("--country <digits>", "the country calling code of national numbers in a call log, such as 49", (digits) =>
      requireOptionValue(/^\+?([1-9]\d{0,2})$/.exec(digits)?.[1], "Must be a country calling code, such as 49."),
    )
    .option(
      "--trunk-prefix <digits>",
      "the prefix of national numbers, such as 0 (default: the country's prefix, if known)",
    )
    .run(async (invocation, file: string, options: CallImportOptions) => {
      const { history } = options;
      const request = history === undefined ? CreateCallRequestSchema : HistoricCallSchema;
      const findProblems = history === undefined ? callProblems : historyProblems;
      const task = { request, file, mapping: options.mapping, findProblems };
      const format = logFormatOf(options);
      const joiner =
        format === undefined
          ? calltrackFileRowJoiner
          : createCallLogRowJoiner(format, options, (line) => invocation.notify(line));
      const prepare = async () =>
        history === undefined
          ? createCallSender(invocation, format !== undefined)
          : createCallHistorySender(invocation, history);
      await runImport(invocation, { ...task, options: rowOptionsOf(file, options), joiner, prepare });
    })
    .addHelpText("after", formatColumnsHelp(CreateCallRequestSchema) + historyHelp + logHelp + rerunHelp.trimEnd())
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
    const [origin] = [...CALL_ORIGIN_KEYS, "origins" as const].filter((key) => read[key] !== undefined);
    if (origin !== undefined && history === undefined)
      throw new UsageError(
        `${mapping}: ${origin} applies only to calls from the time before Calltrack: pass their account with --history`,
      );
    return read;
  }
  if (base === undefined && (country !== undefined || trunkPrefix !== undefined))
    throw new UsageError(
      "--country and --trunk-prefix apply only to call logs: pass the format of the log with --format or --mapping",
    );
  return base;
}

function isLogName(format: string | undefined): format is CallLogFormatName {
  return format !== undefined && logNames.includes(format);
}

/**
 * Replaces the name of a call log format, such as `asterisk`, with the format of its file: `jsonl` for the extensions `.jsonl` and `.ndjson`,
 * otherwise `csv`.
 */
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

/** Accepts every start time, because only the service knows the current time and how long it keeps calls. */
const ANY_PERIOD = { now: new Date(8.64e15), retentionMs: Number.POSITIVE_INFINITY };

/** Applies the service's validation rules to a call. */
function callProblems(fields: RowFields): readonly FieldViolation[] {
  const request = create(BatchCreateCallsRequestSchema, { calls: [fields] });
  return violationsOf(parseBatchCreateCallsRequest(request, ANY_PERIOD)[0]);
}

/** Applies the service's validation rules to a call from the time before Calltrack. */
function historyProblems(fields: RowFields): readonly FieldViolation[] {
  const request = create(ImportCallHistoryRequestSchema, { accountId: "any", calls: [fields] });
  return violationsOf(parseImportCallHistoryRequest(request, ANY_PERIOD).calls[0]);
}

function violationsOf(call: unknown): readonly FieldViolation[] {
  return call instanceof DomainError && call.is("FIELD_INVALID") ? call.facts.violations : [];
}
