import { readTimeMs } from "@calltrack/postgres";
import { formatEtag } from "../etag.js";
import { writeAscii, writeBytes, writeDecimal, writeVarint } from "./bytes.js";
import type { CurrentRow, RowWriter } from "./row-writer.js";
import { checkNull, type StoredField } from "./stored-field.js";

/** Wire types: https://protobuf.dev/programming-guides/encoding/#structure */
const VARINT = 0;
const I64 = 1;
const LEN = 2;

const QUOTE = 0x22;

/** The tags of the fields of `google.protobuf.Timestamp`. */
const SECONDS = 0x08;
const NANOS = 0x10;

/** The bytes of the length of a message with 128 to 16,383 bytes. */
const USUAL_LENGTH_BYTES = 2;

/** Creates a writer of rows as values of a repeated field. They have the same bytes as those of `toBinary`. */
export function createProtoRowWriter(fields: readonly StoredField[], fieldNumber: number): RowWriter {
  return (row, out, place) => {
    const start = writeTag(fieldNumber, LEN, out, place) + USUAL_LENGTH_BYTES;
    let end = start;
    for (const field of fields) end = writeField(field, row, out, end);
    return writeLength(out, start, end);
  };
}

/** Writes the length of a message before it. Moves the message if its length has not the usual number of bytes. Returns where it ends. */
function writeLength(out: DataView, start: number, end: number): number {
  const length = end - start;
  const place = start - USUAL_LENGTH_BYTES;
  if (length >= 1 << 7 && length < 1 << 14) {
    writeVarint(length, out, place);
    return end;
  }
  const message = new DataView(out.buffer.slice(out.byteOffset + start, out.byteOffset + end));
  return writeBytes(message, 0, length, out, writeVarint(length, out, place));
}

function writeField(field: StoredField, row: CurrentRow, out: DataView, place: number): number {
  const { view, ranges, accountToken } = row;
  const { column, type } = field;
  if (column === undefined) return writeText(field, accountToken, 0, accountToken.byteLength, out, place);
  const start = ranges[column * 2] as number;
  const end = ranges[column * 2 + 1] as number;
  if (start < 0) {
    checkNull(field);
    return place;
  }
  switch (type) {
    case "text":
      return writeText(field, view, start, end, out, place);
    case "enum":
      return writeInteger(field, enumNumberOf(field, view, start, end), out, place);
    case "boolean":
      return writeInteger(field, view.getUint8(start), out, place);
    case "integer":
      return writeInteger(field, view.getInt32(start), out, place);
    case "double":
      return writeDouble(field, view.getFloat64(start), out, place);
    case "time":
      return writeTime(field, readTimeMs(view, start), out, place);
    case "etag":
      return writeEtag(field, readTimeMs(view, start), out, place);
  }
}

function writeTag(fieldNumber: number, wireType: number, out: DataView, place: number): number {
  return writeVarint(fieldNumber * 8 + wireType, out, place);
}

function writeText(
  { number, isOptional }: StoredField,
  source: DataView,
  start: number,
  end: number,
  out: DataView,
  place: number,
): number {
  if (start === end && !isOptional) return place;
  const next = writeVarint(end - start, out, writeTag(number, LEN, out, place));
  return writeBytes(source, start, end, out, next);
}

/** Writes the etag of an update time, as `formatEtag` does. */
function writeEtag({ number }: StoredField, ms: number, out: DataView, place: number): number {
  const start = writeTag(number, LEN, out, place) + 1;
  // An etag of the first second or before is not just its milliseconds in digits.
  const end = ms < 1000 ? writeAscii(formatEtag(new Date(ms)), out, start) : writeQuoted(ms, out, start);
  out.setUint8(start - 1, end - start);
  return end;
}

function writeQuoted(value: number, out: DataView, place: number): number {
  out.setUint8(place, QUOTE);
  const end = writeDecimal(value, out, place + 1);
  out.setUint8(end, QUOTE);
  return end + 1;
}

/** Integers, enums and booleans have the same form. */
function writeInteger({ number, isOptional }: StoredField, value: number, out: DataView, place: number): number {
  if (value === 0 && !isOptional) return place;
  return writeVarint(value, out, writeTag(number, VARINT, out, place));
}

function writeDouble({ number, isOptional }: StoredField, value: number, out: DataView, place: number): number {
  if (Object.is(value, 0) && !isOptional) return place;
  const start = writeTag(number, I64, out, place);
  out.setFloat64(start, value, true);
  return start + 8;
}

function writeTime({ number }: StoredField, ms: number, out: DataView, place: number): number {
  const seconds = Math.floor(ms / 1000);
  const start = writeTag(number, LEN, out, place) + 1;
  let next = start;
  if (seconds !== 0) next = writeVarint(seconds, out, writeVarint(SECONDS, out, next));
  if (ms !== seconds * 1000) next = writeVarint((ms - seconds * 1000) * 1_000_000, out, writeVarint(NANOS, out, next));
  // At most 17 bytes, so that the length takes one.
  out.setUint8(start - 1, next - start);
  return next;
}

function enumNumberOf({ desc, enumValues }: StoredField, view: DataView, start: number, end: number): number {
  for (const { text, number } of enumValues) if (isAt(text, view, start, end)) return number;
  throw new Error(`${desc.enum?.typeName} has no value for the text in the database`);
}

/** Whether the bytes from `start` to `end` are a text. */
function isAt(text: Uint8Array, view: DataView, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let index = 0; index < text.length; index++) if (text[index] !== view.getUint8(start + index)) return false;
  return true;
}
