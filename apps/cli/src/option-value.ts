import { InvalidArgumentError } from "commander";
import { parseDuration } from "./duration.js";
import { parseInt32, parseNumber } from "./number-text.js";

/** Reads the value of an option that the service takes as int32. Only the shape is checked: the range is the service's word. */
export function parseIntegerOption(text: string): number {
  return requireValue(parseInt32(text), "It must be an integer.");
}

/** Reads the value of an option that counts something: an integer from 1. */
export function parseCountOption(text: string): number {
  const count = parseInt32(text);
  return requireValue(count !== undefined && count > 0 ? count : undefined, "It must be an integer from 1.");
}

/** More would come too late: the deadline is over before. */
const MOST_RETRIES = 100;

/** Reads the value of an option that says how often something is done again: an integer from 0. */
export function parseRetriesOption(text: string): number {
  const count = parseInt32(text);
  const isCount = count !== undefined && count >= 0 && count <= MOST_RETRIES;
  return requireValue(isCount ? count : undefined, `It must be an integer from 0 to ${MOST_RETRIES}.`);
}

/** Reads the value of an option that the service takes as double. */
export function parseNumberOption(text: string): number {
  return requireValue(parseNumber(text), "It must be a number.");
}

/** The longest time that a timer of Node.js can wait for, in milliseconds. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** Reads the value of an option that waits, into milliseconds: no longer than a timer can (24 days). */
export function parseTimeoutOption(text: string): number {
  const ms = parseDuration(text);
  return requireValue(
    ms !== undefined && ms <= LONGEST_WAIT_MS ? ms : undefined,
    "It must be a time such as 500ms, 10s or 2m.",
  );
}

/** Reads a value that says how far, into milliseconds. */
export function parseDurationOption(text: string): number {
  return requireValue(parseDuration(text), "It must be a time such as 30d, 12h, 90m or 60s.");
}

/** Reads the value of an option that names a server: an http or https URL, returned without a trailing slash. */
export function parseServerOption(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isServer =
    url !== undefined && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}${url.username}` === "";
  return requireValue(
    isServer ? url.href.replace(/\/+$/, "") : undefined,
    "It must be a URL such as http://127.0.0.1:8080.",
  );
}

/** Returns a value that could be read. Throws commander's error for a wrong argument, with what it must be, for undefined. */
export function requireValue<Value>(value: Value | undefined, expectation: string): Value {
  if (value === undefined) throw new InvalidArgumentError(expectation);
  return value;
}
