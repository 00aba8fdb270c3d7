import { writeAscii, writeBytes } from "./bytes.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const COLON = 0x3a;
const POINT = 0x2e;
const ZERO = 0x30;
const Z = 0x5a;

const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

const utf8 = new TextDecoder();

/** Writes UTF-8 text as a JSON string, in up to six bytes for each of its bytes and two more. Returns the place behind it. */
export function writeJsonString(source: Uint8Array, start: number, end: number, out: Buffer, place: number): number {
  let next = place;
  out[next++] = QUOTE;
  for (let index = start; index < end; index++) {
    const byte = source[index] as number;
    if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) {
      return place + out.write(JSON.stringify(utf8.decode(source.subarray(start, end))), place);
    }
    out[next++] = byte;
  }
  out[next] = QUOTE;
  return next + 1;
}

/** Writes a number as `JSON.stringify` does, and those that JSON has not as strings: https://protobuf.dev/programming-guides/json/ */
export function writeJsonNumber(value: number, out: Buffer, place: number): number {
  if (!Number.isFinite(value)) return writeAscii(`"${value}"`, out, place);
  return writeAscii(Object.is(value, -0) ? "-0" : `${value}`, out, place);
}

/** The day of `date`, in days since 1970. */
let dateDay = Number.NaN;
/** The beginning of the times of a day as JSON strings. */
let date: Uint8Array = Buffer.alloc(0);

/**
 * Writes a time as a JSON string of 26 bytes: RFC 3339 in UTC with milliseconds. Returns the place behind it.
 *
 * @throws Error outside the years 1 to 9999.
 */
export function writeJsonTime(ms: number, out: Buffer, place: number): number {
  const day = Math.floor(ms / DAY_MS);
  // The times of a list are often on the same day.
  if (day !== dateDay) setDay(day, ms);
  const time = ms - day * DAY_MS;
  const seconds = Math.floor(time / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const fraction = time - seconds * 1000;
  const hundreds = Math.floor(fraction / 100);
  const start = writeBytes(date, 0, date.length, out, place);
  writeTwoDigits(hours, out, start);
  out[start + 2] = COLON;
  writeTwoDigits(minutes - hours * 60, out, start + 3);
  out[start + 5] = COLON;
  writeTwoDigits(seconds - minutes * 60, out, start + 6);
  out[start + 8] = POINT;
  out[start + 9] = ZERO + hundreds;
  writeTwoDigits(fraction - hundreds * 100, out, start + 10);
  out[start + 12] = Z;
  out[start + 13] = QUOTE;
  return start + 14;
}

function setDay(day: number, ms: number): void {
  const isInRange = ms >= FIRST_MS && ms <= LAST_MS;
  if (!isInRange) throw new Error(`google.protobuf.Timestamp: ${ms} ms is not within the years 1 to 9999`);
  dateDay = day;
  date = Buffer.from(`"${new Date(ms).toISOString().slice(0, 11)}`);
}

function writeTwoDigits(value: number, out: Buffer, place: number): void {
  const tens = Math.floor(value / 10);
  out[place] = ZERO + tens;
  out[place + 1] = ZERO + value - tens * 10;
}
