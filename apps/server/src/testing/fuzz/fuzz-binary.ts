import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { anyCharacter } from "../any-character.js";
import { ODD_TEXTS } from "./odd-values.js";

const MAX_DEPTH = 3;

/** The largest field number that protobuf allows. */
const MAX_FIELD_NUMBER = 2 ** 29 - 1;

/**
 * Generates bytes of four kinds: `valid` itself, `valid` or nothing followed by random fields, such bytes with one piece changed, and random bytes.
 * The random fields include unknown field numbers, wrong wire types and malformed values.
 */
export function fuzzBinary(desc: DescMessage, valid: Uint8Array): fc.Arbitrary<Uint8Array> {
  const start = fc.constantFrom(valid, new Uint8Array());
  const message = fc
    .tuple(start, fc.array(fuzzField(desc, 0), { maxLength: 4 }))
    .map(([bytes, fields]) => Buffer.concat([bytes, ...fields]));
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(valid) },
    { weight: 5, arbitrary: message },
    { weight: 2, arbitrary: message.chain(changeBytes) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  );
}

/** Generates variants of the bytes in which a piece is removed or replaced. */
export function changeBytes(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  return fc
    .record({ from: fc.nat(bytes.length), length: fc.nat(8), replacement: fc.uint8Array({ maxLength: 6 }) })
    .map(({ from, length, replacement }) =>
      Buffer.concat([bytes.subarray(0, from), replacement, bytes.subarray(from + length)]),
    );
}

function fuzzField(desc: DescMessage, depth: number): fc.Arbitrary<Uint8Array> {
  const known = desc.fields.map((field) => knownField(field, depth));
  const number = fc.oneof(
    fc.constantFrom(0, 1, MAX_FIELD_NUMBER, ...desc.fields.map((field) => field.number)),
    fc.nat(MAX_FIELD_NUMBER),
  );
  const raw = fc.record({ number, content: fuzzWire(depth) }).map(({ number, content: [wireType, bytes] }) => {
    const tag = new BinaryWriter().uint32(((number << 3) | wireType) >>> 0).finish();
    return Buffer.concat([tag, bytes]);
  });
  return known.length === 0 ? raw : fc.oneof({ weight: 2, arbitrary: fc.oneof(...known) }, raw);
}

/** Generates a wire type with content that fits it, or almost fits it. */
function fuzzWire(depth: number): fc.Arbitrary<readonly [wireType: number, bytes: Uint8Array]> {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    // Invalid UTF-8: a byte that never occurs, a truncated character, a surrogate, an overlong form, a code point out of range.
    fc.constantFrom("ff", "c3", "eda080", "c0af", "f4908080").map((hex) => Buffer.from(hex, "hex")),
  );
  const varint = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => new BinaryWriter().uint64(value).finish()),
    fc.nat(12).map((length) => Buffer.alloc(length, 0xff)),
  );
  const wrongLength = fc
    .tuple(fc.nat(), bytes)
    .map(([length, content]) => Buffer.concat([new BinaryWriter().uint32(length).finish(), content]));
  const groups = fc.constantFrom(1, 50, 200, 20_000).map((levels) => Buffer.alloc(levels, 0x0b));
  return fc.oneof(
    varint.map((content) => [0, content] as const),
    fc.uint8Array({ minLength: 8, maxLength: 8 }).map((content) => [1, content] as const),
    bytes.map((content) => [2, lengthDelimited(content)] as const),
    wrongLength.map((content) => [2, content] as const),
    groups.map((content) => [3, content] as const),
    fc.constantFrom(4, 6, 7).map((wireType) => [wireType, new Uint8Array()] as const),
    fc.uint8Array({ minLength: depth, maxLength: 5 }).map((content) => [5, content] as const),
  );
}

/** Generates an encoded field with the correct wire type and a random value. */
function knownField(field: DescField, depth: number): fc.Arbitrary<Uint8Array> {
  const writeTag = (wireType: number) => new BinaryWriter().tag(field.number, wireType);
  if (field.message !== undefined || field.fieldKind === "map") {
    const content =
      field.message === undefined || depth === MAX_DEPTH
        ? fc.constant(new Uint8Array())
        : fc
            .array(
              fc.constant(field.message).chain((desc) => fuzzField(desc, depth + 1)),
              { maxLength: 2 },
            )
            .map((fields) => Buffer.concat(fields));
    return content.map((bytes) => writeTag(2).bytes(bytes).finish());
  }
  if (field.enum !== undefined) {
    return fc
      .constantFrom(...field.enum.values.map(({ number }) => number), -1, 99, 2 ** 31 - 1)
      .map((value) => writeTag(0).int32(value).finish());
  }
  switch (field.scalar) {
    case ScalarType.STRING:
      return fc
        .oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: anyCharacter, maxLength: 12 }))
        .map((text) => writeTag(2).string(text).finish());
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 12 }).map((bytes) => writeTag(2).bytes(bytes).finish());
    case ScalarType.DOUBLE:
      return fc.double().map((value) => writeTag(1).double(value).finish());
    case ScalarType.FLOAT:
      return fc.float().map((value) => writeTag(5).float(value).finish());
    default:
      return fc
        .oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.constantFrom(0n, 1n, -1n, 2n ** 31n - 1n))
        .map((value) => writeTag(0).int64(value).finish());
  }
}

function lengthDelimited(bytes: Uint8Array): Uint8Array {
  return new BinaryWriter().bytes(bytes).finish();
}
