import { readTimeMs } from "@calltrack/postgres";
import { writeAscii, writeBytes, writeVarint } from "./bytes.js";
import type { CurrentRow, RowWriter } from "./row-writer.js";
import { checkNull, readEtag, type StoredField } from "./stored-field.js";

/** Wire types: https://protobuf.dev/programming-guides/encoding/#structure */
const VARINT = 0;
const I64 = 1;
const LEN = 2;

/** The tags of the fields of `google.protobuf.Timestamp`. */
const SECONDS = 0x08;
const NANOS = 0x10;

/** The bytes of the length of a message with 128 to 16,383 bytes. */
const USUAL_LENGTH_BYTES = 2;

/** Creates a writer of rows as values of a repeated field. They have the same bytes as those of `toBinary`. */
export function createProtoRowWriter(fields: readonly StoredField[], fieldNumber: number): RowWriter {
  return (row, { bytes }, place) => {
    const start = writeTag(fieldNumber, LEN, bytes, place) + USUAL_LENGTH_BYTES;
    let end = start;
    for (const field of fields) end = writeField(field, row, bytes, end);
    return writeLength(bytes, start, end);
  };
}

/** Writes the length of a message before it. Moves the message if its length has not the usual number of bytes. Returns where it ends. */
function writeLength(out: Buffer, start: number, end: number): number {
  const length = end - start;
  const place = start - USUAL_LENGTH_BYTES;
  if (length >= 1 << 7 && length < 1 << 14) {
    writeVarint(length, out, place);
    return end;
  }
  const message = Buffer.from(out.subarray(start, end));
  return writeBytes(message, 0, length, out, writeVarint(length, out, place));
}

function writeField(field: StoredField, row: CurrentRow, out: Buffer, place: number): number {
  const { bytes, ranges, accountToken } = row;
  const { column, type } = field;
  if (column === undefined) return writeText(field, accountToken, 0, accountToken.length, out, place);
  const start = ranges[column * 2] as number;
  const end = ranges[column * 2 + 1] as number;
  if (start < 0) {
    checkNull(field);
    return place;
  }
  switch (type) {
    case "text":
      return writeText(field, bytes, start, end, out, place);
    case "enum":
      return writeInteger(field, enumNumberOf(field, bytes.toString("latin1", start, end)), out, place);
    case "boolean":
      return writeInteger(field, bytes[start] as number, out, place);
    case "integer":
      return writeInteger(field, bytes.readInt32BE(start), out, place);
    case "double":
      return writeDouble(field, bytes.readDoubleBE(start), out, place);
    case "time":
      return writeTime(field, readTimeMs(bytes, start), out, place);
    case "etag":
      return writeEtag(field, readEtag(bytes, start), out, place);
  }
}

function writeTag(fieldNumber: number, wireType: number, out: Buffer, place: number): number {
  return writeVarint(fieldNumber * 8 + wireType, out, place);
}

function writeText(
  { number, isOptional }: StoredField,
  source: Buffer,
  start: number,
  end: number,
  out: Buffer,
  place: number,
): number {
  if (start === end && !isOptional) return place;
  const next = writeVarint(end - start, out, writeTag(number, LEN, out, place));
  return writeBytes(source, start, end, out, next);
}

function writeEtag({ number }: StoredField, etag: string, out: Buffer, place: number): number {
  return writeAscii(etag, out, writeVarint(etag.length, out, writeTag(number, LEN, out, place)));
}

/** Integers, enums and booleans have the same form. */
function writeInteger({ number, isOptional }: StoredField, value: number, out: Buffer, place: number): number {
  if (value === 0 && !isOptional) return place;
  return writeVarint(value, out, writeTag(number, VARINT, out, place));
}

function writeDouble({ number, isOptional }: StoredField, value: number, out: Buffer, place: number): number {
  if (Object.is(value, 0) && !isOptional) return place;
  return out.writeDoubleLE(value, writeTag(number, I64, out, place));
}

function writeTime({ number }: StoredField, ms: number, out: Buffer, place: number): number {
  const seconds = Math.floor(ms / 1000);
  const start = writeTag(number, LEN, out, place) + 1;
  let next = start;
  if (seconds !== 0) next = writeVarint(seconds, out, writeVarint(SECONDS, out, next));
  if (ms !== seconds * 1000) next = writeVarint((ms - seconds * 1000) * 1_000_000, out, writeVarint(NANOS, out, next));
  // At most 17 bytes, so that the length takes one.
  out[start - 1] = next - start;
  return next;
}

function enumNumberOf({ desc, enumNumbers }: StoredField, text: string): number {
  const number = enumNumbers.get(text);
  if (number === undefined) throw new Error(`${desc.enum?.typeName} has no value for the text in the database`);
  return number;
}
