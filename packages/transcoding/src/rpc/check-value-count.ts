import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { createMalformedMessageError, createTooManyValuesError, MAX_MESSAGE_VALUES } from "../http/body-errors.js";
import { RequestError } from "../http/request-error.js";
import { createWeakCache } from "../values/weak-cache.js";

/** The maximum nesting depth of messages that protobuf-es decodes. */
const MAX_DEPTH = 100;

interface FieldEncoding {
  readonly name: string;
  readonly wireType: WireType;
  /** Whether the field can be a packed list, with several values in one record. */
  readonly isPackable: boolean;
  /** Returns the fields of the message or map entry; undefined for a scalar field. */
  readonly fields: (() => FieldEncodings) | undefined;
}

type FieldEncodings = ReadonlyMap<number, FieldEncoding>;

/**
 * Throws a `RequestError` for a message in protobuf binary format that has more than `MAX_MESSAGE_VALUES` values or is malformed. Also rejects a
 * large message in which a field does not have its declared wire type. protobuf-es would accept the field, but read the bytes after it as other
 * fields.
 */
export function checkValueCount(desc: DescMessage, bytes: Uint8Array): void {
  // Every value takes at least one byte, so a message of this size cannot have too many values.
  if (bytes.length <= MAX_MESSAGE_VALUES) return;
  try {
    new ValueCounter(bytes).readMessage(encodingsOf(desc), bytes.length, undefined);
  } catch (error) {
    throw error instanceof RequestError ? error : createMalformedMessageError(desc);
  }
}

class ValueCounter {
  readonly #reader: BinaryReader;
  #count = 0;
  #depth = 0;
  /** The current top-level field, for the error message. */
  #field: FieldEncoding | undefined;

  constructor(bytes: Uint8Array) {
    this.#reader = new BinaryReader(bytes);
  }

  /** Reads the fields of a message up to the position `end`, or up to the end of the group whose field number is `group`. */
  readMessage(fields: FieldEncodings, end: number, group: number | undefined): void {
    if (++this.#depth > MAX_DEPTH) throw new Error(`nested more than ${MAX_DEPTH} levels deep`);
    while (this.#reader.pos < end) {
      const [number, wireType] = this.#reader.tag();
      if (wireType === WireType.EndGroup && number === group) break;
      const field = fields.get(number);
      if (this.#depth === 1) this.#field = field;
      this.#countValue();
      this.#readField(field, number, wireType);
    }
    this.#depth--;
  }

  #readField(field: FieldEncoding | undefined, number: number, wireType: WireType): void {
    const reader = this.#reader;
    const isPacked = wireType === WireType.LengthDelimited && field?.isPackable;
    if (field !== undefined && wireType !== field.wireType && !isPacked) throw new Error("wrong wire type");
    if (wireType === WireType.StartGroup) {
      this.readMessage(field?.fields?.() ?? NO_FIELDS, reader.len, number);
    } else if (isPacked) {
      const end = reader.uint32() + reader.pos;
      for (; reader.pos < end; this.#countValue()) reader.skip(field.wireType);
    } else if (field?.fields !== undefined) {
      const end = reader.uint32() + reader.pos;
      this.readMessage(field.fields(), end, undefined);
    } else reader.skip(wireType);
  }

  #countValue(): void {
    if (++this.#count > MAX_MESSAGE_VALUES) throw createTooManyValuesError(this.#field?.name);
  }
}

const NO_FIELDS: FieldEncodings = new Map();

const encodingsOf = createWeakCache(
  (desc: DescMessage): FieldEncodings => new Map(desc.fields.map((field) => [field.number, describeEncoding(field)])),
);

function describeEncoding(field: DescField): FieldEncoding {
  const { name, message } = field;
  const value: FieldEncoding =
    message === undefined
      ? { name, wireType: wireTypeOf(field.scalar), isPackable: false, fields: undefined }
      : { name, wireType: WireType.LengthDelimited, isPackable: false, fields: () => encodingsOf(message) };
  if (field.fieldKind === "map") {
    const key = { ...value, wireType: wireTypeOf(field.mapKey), fields: undefined };
    const entry: FieldEncodings = new Map([
      [1, key],
      [2, value],
    ]);
    return { ...value, wireType: WireType.LengthDelimited, fields: () => entry };
  }
  if ("delimitedEncoding" in field && field.delimitedEncoding) return { ...value, wireType: WireType.StartGroup };
  return { ...value, isPackable: field.fieldKind === "list" && value.wireType !== WireType.LengthDelimited };
}

/** Returns the wire type of a scalar type, or of an enum if `scalar` is undefined. */
function wireTypeOf(scalar: ScalarType | undefined): WireType {
  return WIRE_TYPES.get(scalar) ?? WireType.Varint;
}

/** The wire types of all scalar types that are not varints. */
const WIRE_TYPES: ReadonlyMap<ScalarType | undefined, WireType> = new Map<ScalarType, WireType>([
  [ScalarType.STRING, WireType.LengthDelimited],
  [ScalarType.BYTES, WireType.LengthDelimited],
  [ScalarType.DOUBLE, WireType.Bit64],
  [ScalarType.FIXED64, WireType.Bit64],
  [ScalarType.SFIXED64, WireType.Bit64],
  [ScalarType.FLOAT, WireType.Bit32],
  [ScalarType.FIXED32, WireType.Bit32],
  [ScalarType.SFIXED32, WireType.Bit32],
]);
