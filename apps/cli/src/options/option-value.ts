import { InvalidArgumentError } from "commander";
import { parseServerUrl } from "../connection/server-url.js";
import { parseDuration } from "../text/duration.js";
import { parseInt32, parseNumber } from "../text/number-text.js";

/** Parses an int32 option. The service checks the range. */
export function parseIntegerOption(text: string): number {
  return requireOptionValue(parseInt32(text), "Must be an integer.");
}

/** Parses an option whose value is a positive integer. */
export function parseCountOption(text: string): number {
  const count = parseInt32(text);
  return requireOptionValue(count !== undefined && count > 0 ? count : undefined, "Must be a positive integer.");
}

/** More retries of a request would not fit before its deadline. */
const MAX_RETRIES = 100;

export function parseRetriesOption(text: string): number {
  const count = parseInt32(text);
  const isCount = count !== undefined && count >= 0 && count <= MAX_RETRIES;
  return requireOptionValue(isCount ? count : undefined, `Must be an integer between 0 and ${MAX_RETRIES}.`);
}

export function parseNumberOption(text: string): number {
  return requireOptionValue(parseNumber(text), "Must be a number.");
}

/** The maximum delay of a Node.js timer, about 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Parses a timeout into milliseconds, up to the maximum delay of a timer. */
export function parseTimeoutOption(text: string): number {
  const ms = parseDuration(text);
  return requireOptionValue(
    ms !== undefined && ms <= MAX_TIMER_MS ? ms : undefined,
    "Must be a duration such as 500ms, 10s or 2m.",
  );
}

/** Parses a duration into milliseconds. */
export function parseDurationOption(text: string): number {
  return requireOptionValue(parseDuration(text), "Must be a duration such as 30d, 12h, 90m or 60s.");
}

/** Parses the overlap of a credential rotation into seconds. Unlike other durations, it may be 0. */
export function parseOverlapOption(text: string): number {
  return text === "0s" ? 0 : Math.ceil(parseDurationOption(text) / 1000);
}

/** Parses the http or https URL of a server. The result has no trailing slash. */
export function parseServerOption(text: string): string {
  return requireOptionValue(parseServerUrl(text), "Must be a URL such as http://127.0.0.1:8080.");
}

/** Returns a parsed value. Throws InvalidArgumentError with the expectation if the value is undefined. */
export function requireOptionValue<Value>(value: Value | undefined, expectation: string): Value {
  if (value === undefined) throw new InvalidArgumentError(expectation);
  return value;
}
