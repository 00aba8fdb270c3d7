import { toWords, type Words, writeAscii, writeWords } from "./bytes.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** Each byte of a word of four bytes. */
const HIGHEST_BITS = 0x80808080 | 0;
const ONES = 0x01010101;
const SPACES = 0x20202020;
const QUOTES = 0x22222222;
const BACKSLASHES = 0x5c5c5c5c;

const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/** The parts of a time of day as words of four bytes, by their number. */
const HOURS_OR_MINUTES = textsBelow(60, 2, ":");
const SECONDS = textsBelow(60, 2, ".");
const MILLISECONDS = textsBelow(1000, 3, "Z");

const utf8 = new TextDecoder();
const utf8Encoder = new TextEncoder();

/** Writes UTF-8 text as a JSON string, in up to six bytes for each of its bytes and two more. Returns the place behind it. */
export function writeJsonString(source: DataView, start: number, end: number, out: DataView, place: number): number {
  const shift = place + 1 - start;
  const last = end - 4;
  let special = 0;
  out.setUint8(place, QUOTE);
  if (last < start) {
    for (let index = start; index < end; index++) {
      const byte = source.getUint8(index);
      if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) special = 1;
      out.setUint8(index + shift, byte);
    }
  } else {
    for (let index = start; index < last; index += 4) {
      const word = source.getInt32(index);
      special |= findSpecial(word);
      out.setInt32(index + shift, word);
    }
    // Overlaps the word before it, unless the length is a multiple of four.
    const word = source.getInt32(last);
    special |= findSpecial(word);
    out.setInt32(last + shift, word);
  }
  if (special !== 0) return writeEscaped(source, start, end, out, place);
  out.setUint8(end + shift, QUOTE);
  return end + shift + 1;
}

/**
 * Returns other than zero if one of the four bytes needs an escape: a control character, a quote or a backslash. A byte is less than n if
 * subtracting n borrows from its highest bit, and equal to m if its difference from m is less than one.
 */
function findSpecial(word: number): number {
  const quote = word ^ QUOTES;
  const backslash = word ^ BACKSLASHES;
  return (((word - SPACES) & ~word) | ((quote - ONES) & ~quote) | ((backslash - ONES) & ~backslash)) & HIGHEST_BITS;
}

function writeEscaped(source: DataView, start: number, end: number, out: DataView, place: number): number {
  const text = utf8.decode(new Uint8Array(source.buffer, source.byteOffset + start, end - start));
  const { written } = utf8Encoder.encodeInto(JSON.stringify(text), new Uint8Array(out.buffer, out.byteOffset + place));
  return place + written;
}

/** Writes a number as `JSON.stringify` does, and those that JSON has not as strings: https://protobuf.dev/programming-guides/json/ */
export function writeJsonNumber(value: number, out: DataView, place: number): number {
  if (!Number.isFinite(value)) return writeAscii(`"${value}"`, out, place);
  return writeAscii(Object.is(value, -0) ? "-0" : `${value}`, out, place);
}

/** The beginning of the day of `date`. */
let dateMs = Number.NaN;
/** The beginning of the times of a day as JSON strings. */
let date: Words = toWords("");

/**
 * Writes a time as a JSON string of 26 bytes: RFC 3339 in UTC with milliseconds. Returns the place behind it.
 *
 * @throws Error outside the years 1 to 9999.
 */
export function writeJsonTime(ms: number, out: DataView, place: number): number {
  // The times of a list are often on the same day.
  const isSameDay = ms >= dateMs && ms < dateMs + DAY_MS;
  if (!isSameDay) setDay(ms);
  // Integers of 32 bits are divided faster.
  const time = (ms - dateMs) | 0;
  const seconds = (time / 1000) | 0;
  const minutes = (seconds / 60) | 0;
  const hours = (minutes / 60) | 0;
  const start = writeWords(date, out, place);
  out.setInt32(start, HOURS_OR_MINUTES[hours] as number);
  out.setInt32(start + 3, HOURS_OR_MINUTES[minutes - hours * 60] as number);
  out.setInt32(start + 6, SECONDS[seconds - minutes * 60] as number);
  out.setInt32(start + 9, MILLISECONDS[time - seconds * 1000] as number);
  out.setUint8(start + 13, QUOTE);
  return start + 14;
}

function setDay(ms: number): void {
  const isInRange = ms >= FIRST_MS && ms <= LAST_MS;
  if (!isInRange) throw new Error(`google.protobuf.Timestamp: ${ms} ms is not within the years 1 to 9999`);
  dateMs = Math.floor(ms / DAY_MS) * DAY_MS;
  date = toWords(`"${new Date(ms).toISOString().slice(0, 11)}`);
}

/** Returns the texts of all numbers below a limit as words of four bytes. */
function textsBelow(limit: number, digits: number, suffix: string): Int32Array {
  const wordOf = (number: number) =>
    Buffer.from(`${number}`.padStart(digits, "0").concat(suffix).padEnd(4)).readInt32BE();
  return Int32Array.from({ length: limit }, (_, number) => wordOf(number));
}
