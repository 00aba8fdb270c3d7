import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { InvalidArgumentError } from "commander";
import { parseDuration } from "./duration.js";
import { parseInt32, parseNumber } from "./number-text.js";
import { parseTimestamp } from "./timestamp-text.js";

/** Reads the value of an option that the service takes as int32. Only the shape is checked: the range is the service's word. */
export function parseIntegerOption(text: string): number {
  return require(parseInt32(text), "It must be an integer.");
}

/** Reads the value of an option that counts something: an integer from 1. */
export function parseCountOption(text: string): number {
  const count = parseInt32(text);
  return require(count !== undefined && count > 0 ? count : undefined, "It must be an integer from 1.");
}

/** More would come too late: the deadline is over before. */
const MOST_RETRIES = 100;

/** Reads the value of an option that says how often something is done again: an integer from 0. */
export function parseRetriesOption(text: string): number {
  const count = parseInt32(text);
  const isCount = count !== undefined && count >= 0 && count <= MOST_RETRIES;
  return require(isCount ? count : undefined, `It must be an integer from 0 to ${MOST_RETRIES}.`);
}

/** Reads the value of an option that the service takes as double. */
export function parseNumberOption(text: string): number {
  return require(parseNumber(text), "It must be a number.");
}

/** The longest time that a timer of Node.js can wait for, in milliseconds. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** Reads the value of an option that waits, into milliseconds: no longer than a timer can (24 days). */
export function parseTimeoutOption(text: string): number {
  const ms = parseDuration(text);
  return require(ms !== undefined && ms <= LONGEST_WAIT_MS
    ? ms
    : undefined, "It must be a time such as 500ms, 10s or 2m.");
}

/** Reads a value that says how far, into milliseconds. */
export function parseDurationOption(text: string): number {
  return require(parseDuration(text), "It must be a time such as 30d, 12h, 90m or 60s.");
}

/** Reads the value of an option that names a moment. */
export function parseTimestampOption(text: string): Timestamp {
  return require(parseTimestamp(text), "It must be a time such as 2026-11-21T08:30:00Z.");
}

/** Reads the value of an option that says when something ends: a moment, or how far it is from now. */
export function parseExpiryOption(text: string): Timestamp {
  const ms = parseDuration(text);
  const end = ms === undefined ? parseTimestamp(text) : timestampFromMs(Date.now() + ms);
  return require(end, "It must be a time such as 90d or 2027-11-20T00:00:00Z.");
}

/** Reads the value of an option that says when something was: a moment, or how long it was ago. */
export function parsePastOption(text: string): Timestamp {
  const ms = parseDuration(text);
  const moment = ms === undefined ? parseTimestamp(text) : timestampFromMs(Date.now() - ms);
  return require(moment, "It must be a time such as 30d or 2026-11-21T08:30:00Z.");
}

/** Reads the value of an option that names a server: an http or https URL, returned without a trailing slash. */
export function parseServerOption(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isServer =
    url !== undefined && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}${url.username}` === "";
  return require(isServer
    ? url.href.replace(/\/+$/, "")
    : undefined, "It must be a URL such as http://127.0.0.1:8080.");
}

function require<Value>(value: Value | undefined, expectation: string): Value {
  if (value === undefined) throw new InvalidArgumentError(expectation);
  return value;
}
