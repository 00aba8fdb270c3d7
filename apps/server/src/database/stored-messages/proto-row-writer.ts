import type { DescField } from "@bufbuild/protobuf";
import { readTimeMs } from "@calltrack/postgres";
import type { RowWriter, ValueWriter } from "./row-writer.js";
import { describeNull, hasPresence, readEtag, type StoredField } from "./stored-field.js";

/** Wire types: https://protobuf.dev/programming-guides/encoding/#structure */
const VARINT = 0;
const I64 = 1;
const LEN = 2;

/** The tags of the fields of `google.protobuf.Timestamp`. */
const SECONDS = 0x08;
const NANOS = 0x10;

/** Creates a writer of rows as protobuf messages. They have the same bytes as those of `toBinary`. */
export function createProtoRowWriter(fields: readonly StoredField[]): RowWriter {
  const writers = fields.map(createFieldWriter);
  return (row, out) => {
    for (const write of writers) write(row, out);
  };
}

function createFieldWriter(field: StoredField): RowWriter {
  const { desc, column } = field;
  if (column === undefined) {
    const write = createTextWriter(desc);
    return ({ accountToken }, out) => write(accountToken, 0, accountToken.length, out);
  }
  const write = createValueWriter(field);
  const isOptional = hasPresence(desc);
  return ({ bytes, ranges }, out) => {
    const start = ranges[column * 2] as number;
    if (start >= 0) write(bytes, start, ranges[column * 2 + 1] as number, out);
    else if (!isOptional) throw describeNull(desc);
  };
}

function createValueWriter({ desc, type }: StoredField): ValueWriter {
  switch (type) {
    case "text":
      return desc.enum === undefined ? createTextWriter(desc) : createEnumWriter(desc);
    case "boolean":
      return createVarintWriter(desc, (bytes, start) => bytes[start] as number);
    case "integer":
      return createVarintWriter(desc, (bytes, start) => bytes.readInt32BE(start));
    case "double":
      return createDoubleWriter(desc);
    case "time":
      return createTimeWriter(desc);
    case "etag":
      return createEtagWriter(desc);
  }
}

/** Returns the tag of a field. Field numbers above 15 have tags of two bytes. */
function tagOf({ number }: DescField, wireType: number): number {
  return number * 8 + wireType;
}

function createTextWriter(desc: DescField): ValueWriter {
  const tag = tagOf(desc, LEN);
  const writesEmpty = hasPresence(desc);
  return (bytes, start, end, out) => {
    if (start === end && !writesEmpty) return;
    out.varint(tag);
    out.varint(end - start);
    out.copy(bytes, start, end);
  };
}

function createEtagWriter(desc: DescField): ValueWriter {
  const tag = tagOf(desc, LEN);
  return (bytes, start, _, out) => {
    const text = readEtag(bytes, start);
    out.varint(tag);
    out.varint(text.length);
    out.ascii(text);
  };
}

function createEnumWriter(desc: DescField & { enum: NonNullable<DescField["enum"]> }): ValueWriter {
  const { values, sharedPrefix = "" } = desc.enum;
  const numbers = new Map(values.map(({ name, number }) => [name.slice(sharedPrefix.length).toLowerCase(), number]));
  return createVarintWriter(desc, (bytes, start, end) => {
    const number = numbers.get(bytes.toString("latin1", start, end));
    if (number === undefined) throw new Error(`${desc.enum.typeName} has no value for the text in the database`);
    return number;
  });
}

/** Integers, enums and booleans have the same form. */
function createVarintWriter(desc: DescField, read: (bytes: Buffer, start: number, end: number) => number): ValueWriter {
  const tag = tagOf(desc, VARINT);
  const writesZero = hasPresence(desc);
  return (bytes, start, end, out) => {
    const value = read(bytes, start, end);
    if (value === 0 && !writesZero) return;
    out.varint(tag);
    out.varint(value);
  };
}

function createDoubleWriter(desc: DescField): ValueWriter {
  const tag = tagOf(desc, I64);
  const writesZero = hasPresence(desc);
  return (bytes, start, _, out) => {
    const value = bytes.readDoubleBE(start);
    if (Object.is(value, 0) && !writesZero) return;
    out.varint(tag);
    out.double(value);
  };
}

function createTimeWriter(desc: DescField): ValueWriter {
  const tag = tagOf(desc, LEN);
  return (bytes, start, _, out) => {
    const ms = readTimeMs(bytes, start);
    const seconds = Math.floor(ms / 1000);
    out.varint(tag);
    const lengthPlace = out.length;
    out.byte(0);
    if (seconds !== 0) {
      out.varint(SECONDS);
      out.varint(seconds);
    }
    if (ms !== seconds * 1000) {
      out.varint(NANOS);
      out.varint((ms - seconds * 1000) * 1_000_000);
    }
    // At most 17 bytes, so that the length takes one.
    out.replace(lengthPlace, out.length - lengthPlace - 1);
  };
}
