import { parse } from "yaml";
import { readTextFile } from "../process/read-text-file.js";
import { UsageError } from "../process/usage-error.js";
import {
  CALL_ORIGIN_KEYS,
  type CallLogFormat,
  legOutcomeNames,
  OUTCOME_FORMAT_KEYS,
  REQUIRED_FORMAT_KEYS,
} from "./call-log-format.js";

/** Returns an error message that begins with `must`; undefined for a valid value. */
type Rule = (value: unknown) => string | undefined;

const isText = (value: unknown) => typeof value === "string" && value !== "";
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isList = (value: unknown, isItem: (item: unknown) => boolean) =>
  Array.isArray(value) && value.length > 0 && value.every(isItem);

const columns: Rule = (value) =>
  isText(value) || isList(value, isText) ? undefined : "must be a column name, or a list of column names";

const words: Rule = (value) =>
  isRecord(value) && Object.values(value).every((outcome) => legOutcomeNames.some((name) => name === outcome))
    ? undefined
    : `must map each word to one of the outcomes ${legOutcomeNames.join(", ")}`;

const numbers: Rule = (value) =>
  isRecord(value) && Object.values(value).every(isText)
    ? undefined
    : 'must map each number in the log to the full number, both in quotes: { "5501234": "+49305501234" }';

const origins: Rule = (value) =>
  isRecord(value) && Object.values(value).every(isOrigin)
    ? undefined
    : `must map each tracking number, in E.164 format and in quotes, to some of ${CALL_ORIGIN_KEYS.join(", ")}: { "+49305501234": { source: google, medium: cpc } }`;

const isOrigin = (value: unknown) =>
  isRecord(value) &&
  Object.entries(value).every(([key, text]) => CALL_ORIGIN_KEYS.some((known) => known === key) && isText(text));

const isCondition = (value: unknown) =>
  isRecord(value) &&
  isText(value.column) &&
  (value.values === undefined || isList(value.values, isText)) &&
  Object.keys(value).every((key) => ["column", "values", "reason"].includes(key));

const conditions: Rule = (value) =>
  isList(value, isCondition)
    ? undefined
    : "must be a list of conditions {column: name, values: [word, …]}; a condition without values requires that the column is not empty";

const skipConditions: Rule = (value) =>
  isList(value, (item) => isCondition(item) && isText((item as Record<string, unknown>).reason))
    ? undefined
    : "must be a list of {column: name, values: [word, …], reason: text}";

const RULES: Readonly<Record<keyof CallLogFormat, Rule>> = {
  headers: (value) =>
    isList(value, (names) => isList(names, isText)) ? undefined : "must be a list of lists of column names",
  call_id: columns,
  linked_id: columns,
  dialed_leg: conditions,
  caller_number: columns,
  tracking_number: columns,
  tracking_numbers: numbers,
  number_format: (value) => (value === "international" ? undefined : "must be international or absent"),
  started_at: columns,
  answered_at: columns,
  ended_at: columns,
  time_zone: columns,
  ring_duration: columns,
  talk_duration: columns,
  duration: columns,
  duration_format: (value) => (value === "h:mm" || value === "mm:ss" ? undefined : "must be h:mm or mm:ss"),
  outcome: columns,
  outcomes: words,
  caller_leg_outcomes: words,
  voicemail: conditions,
  recording_url: columns,
  original_number: columns,
  source: columns,
  medium: columns,
  property_token: columns,
  origins,
  skip: skipConditions,
  date_order: (value) =>
    value === "month-first" || value === "day-first" ? undefined : "must be month-first or day-first",
};

export const MAPPING_FILE_KEYS: readonly string[] = Object.keys(RULES);

/**
 * Reads a YAML or JSON file that names the columns of a call log.
 *
 * @param base the built-in format that the file changes. Keys and outcome words that the file omits keep their values from this format.
 * @throws UsageError if the file cannot be read or is invalid.
 */
export function readMappingFile(file: string, base: CallLogFormat | undefined): CallLogFormat {
  const mapping = parseMapping(file);
  const problems = Object.entries(mapping).map(([key, value]) => {
    if (!MAPPING_FILE_KEYS.includes(key))
      return `unknown key ${JSON.stringify(key)}: the keys are ${MAPPING_FILE_KEYS.join(", ")}`;
    const problem = RULES[key as keyof CallLogFormat](value);
    return problem && `${key} ${problem}`;
  });
  const missing = REQUIRED_FORMAT_KEYS.filter((key) => base === undefined && mapping[key] === undefined).map(
    (key) => `${key} is missing`,
  );
  if (base === undefined && OUTCOME_FORMAT_KEYS.every((key) => mapping[key] === undefined))
    missing.push(`${OUTCOME_FORMAT_KEYS.join(" or ")} is missing`);
  const found = [...problems, ...missing].filter((problem) => problem !== undefined);
  if (found.length > 0) throw new UsageError(`${file}: ${found.join("; ")}`);
  const format = mapping as unknown as CallLogFormat;
  const outcomes = { ...base?.outcomes, ...format.outcomes };
  const callerLegOutcomes = { ...base?.caller_leg_outcomes, ...format.caller_leg_outcomes };
  return { ...base, ...format, outcomes, caller_leg_outcomes: callerLegOutcomes };
}

function parseMapping(file: string): Record<string, unknown> {
  const text = readTextFile(file);
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new UsageError(`${file} is neither YAML nor JSON: ${(error as Error).message.split("\n")[0]}`, {
      cause: error,
    });
  }
  if (!isRecord(value))
    throw new UsageError(`${file} must contain keys and values; the keys are ${MAPPING_FILE_KEYS.join(", ")}`);
  return value;
}
