import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import {
  AnySchema,
  anyPack,
  DurationSchema,
  FeatureSet_FieldPresence,
  FieldMaskSchema,
  isWrapperDesc,
  timestampFromMs,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { ScalarsSchema } from "../gen/library/v1/all_kinds_pb.js";
import { findIntegerType } from "../values/integer-type.js";
import { hasFieldPresence, isUnwrappedField } from "../values/untyped-message.js";
import { anyCharacter } from "./any-character.js";

/**
 * Which values a message can have. `any` includes values that schemas do not describe. `response` and `request` exclude non-finite doubles and enum
 * numbers without a name. `request` also excludes values that would be omitted although they may be required, and contents of an `Any`.
 */
export type ValueRange = "any" | "response" | "request";

/** Creates an arbitrary for messages that ProtoJSON can represent, nested two levels deep. */
export function arbitraryMessage(desc: DescMessage, range: ValueRange = "any", depth = 2): fc.Arbitrary<Message> {
  const key = `${desc.typeName} ${range} ${depth}`;
  const known = KNOWN.get(key) ?? arbitraryForm(desc, range) ?? arbitraryFields(desc, range, depth);
  KNOWN.set(key, known);
  return known;
}

// Caches arbitraries, because a type is reachable on many paths, and creating its arbitrary for each path takes seconds.
const KNOWN = new Map<string, fc.Arbitrary<Message>>();

function arbitraryFields(desc: DescMessage, range: ValueRange, depth: number): fc.Arbitrary<Message> {
  const model: Record<string, fc.Arbitrary<unknown>> = {};
  for (const member of depth < 0 ? desc.fields.filter(isLeaf) : desc.members) {
    if (member.kind === "oneof") {
      const cases = member.fields.map((field) =>
        arbitraryValue(field, range, depth).map((value) => ({ case: field.localName, value })),
      );
      model[member.localName] = fc.oneof(fc.constant({ case: undefined }), ...cases);
    } else {
      model[member.localName] = arbitraryField(member, range, depth);
    }
  }
  return fc.record(model).map((init) => create(desc, init as never));
}

function arbitraryField(field: DescField, range: ValueRange, depth: number): fc.Arbitrary<unknown> {
  const value = arbitraryValue(field, range, depth);
  switch (field.fieldKind) {
    case "list":
      return fc.array(value, { maxLength: 3 });
    case "map":
      return fc.dictionary(arbitraryKey(field.mapKey), value, { maxKeys: 3, noNullPrototype: true });
    default:
      return isRequiredField(field) || !hasFieldPresence(field) ? value : fc.option(value, { nil: undefined });
  }
}

function isRequiredField(field: DescField): boolean {
  return field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED;
}

/** Whether messages at the deepest level of nesting have the field. */
function isLeaf(field: DescField): boolean {
  return isRequiredField(field) || (field.message === undefined && field.oneof === undefined);
}

function arbitraryKey(type: ScalarType): fc.Arbitrary<string> {
  return type === ScalarType.STRING
    ? fc.oneof(arbitraryText(), fc.constantFrom("__proto__", "constructor", ""))
    : arbitraryScalar(type, false, "any").map(String);
}

function arbitraryText(minLength = 0): fc.Arbitrary<string> {
  return fc.string({ unit: anyCharacter, minLength, maxLength: 8 });
}

function arbitraryValue(field: DescField, range: ValueRange, depth: number): fc.Arbitrary<unknown> {
  if (field.enum !== undefined) return arbitraryEnum(field.enum, range);
  if (field.message === undefined) {
    return arbitraryScalar(field.scalar, field.fieldKind !== "map" && field.longAsString, range);
  }
  if (field.message.typeName === "google.protobuf.Struct") {
    return arbitraryJsonObject();
  }
  if (isWrapperDesc(field.message)) {
    const value = arbitraryValue(field.message.fields[0] as DescField, range, depth);
    const desc = field.message;
    return isUnwrappedField(field) ? value : value.map((inner) => create(desc, { value: inner } as never));
  }
  return arbitraryMessage(field.message, range, depth - 1);
}

function arbitraryEnum({ open, typeName, values }: DescEnum, range: ValueRange): fc.Arbitrary<number> {
  const named = values.filter(({ name }) => range !== "request" || !name.endsWith("UNSPECIFIED"));
  const known = fc.constantFrom(...named.map(({ number }) => number));
  const mayBeUnnamed = range === "any" && open && typeName !== "google.protobuf.NullValue";
  return mayBeUnnamed ? fc.oneof(known, fc.constant(99)) : known;
}

function arbitraryScalar(type: ScalarType, longAsString: boolean, range: ValueRange): fc.Arbitrary<unknown> {
  const integer = findIntegerType(type);
  if (integer !== undefined) {
    const value = fc.oneof(fc.bigInt(integer), fc.constantFrom(integer.min, integer.max, 0n));
    return integer.long ? (longAsString ? value.map(String) : value) : value.map(Number);
  }
  const limits = { noNaN: range !== "any", noDefaultInfinity: range !== "any" };
  switch (type) {
    case ScalarType.DOUBLE:
      return fc.double(limits);
    case ScalarType.FLOAT:
      return fc.float(limits);
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 8 });
    default:
      return arbitraryText(range === "request" ? 1 : 0);
  }
}

function arbitraryJsonValue(): fc.Arbitrary<JsonValue> {
  return fc.jsonValue({ maxDepth: 2, stringUnit: anyCharacter }) as fc.Arbitrary<JsonValue>;
}

function arbitraryJsonObject(): fc.Arbitrary<Record<string, JsonValue>> {
  return fc.dictionary(arbitraryText(), arbitraryJsonValue(), { maxKeys: 3, noNullPrototype: true });
}

/** Creates the arbitrary for a message with a special JSON form. Returns undefined for other messages. */
function arbitraryForm(desc: DescMessage, range: ValueRange): fc.Arbitrary<Message> | undefined {
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return fc
        .tuple(fc.integer({ min: -62135596800, max: 253402300799 }), fc.integer({ min: 0, max: 999_999_999 }))
        .map(([seconds, nanos]) => Object.assign(timestampFromMs(0), { seconds: BigInt(seconds), nanos }));
    case "google.protobuf.Duration":
      return fc
        .tuple(fc.integer({ min: 0, max: 315_575_999_999 }), fc.integer({ min: 0, max: 999_999_999 }), fc.boolean())
        .map(([seconds, nanos, negative]) =>
          create(DurationSchema, {
            seconds: BigInt(negative ? -seconds : seconds),
            nanos: negative ? 0 - nanos : nanos,
          }),
        );
    case "google.protobuf.FieldMask":
      return fc
        .array(fc.constantFrom("title", "page_count", "author.full_name"), { maxLength: 3 })
        .map((paths) => create(FieldMaskSchema, { paths }));
    case "google.protobuf.Any": {
      const empty = fc.constant(create(AnySchema));
      if (range === "request") return empty;
      const content = arbitraryMessage(ScalarsSchema, range, 0);
      return fc.oneof(
        empty,
        content.map((message) => anyPack(ScalarsSchema, message as never)),
      );
    }
    case "google.protobuf.Value":
      return arbitraryJsonValue().map((json) => fromJson(desc, json));
    case "google.protobuf.ListValue":
      return fc.array(arbitraryJsonValue(), { maxLength: 3 }).map((json) => fromJson(desc, json));
    case "google.protobuf.Struct":
      return arbitraryJsonObject().map((json) => fromJson(desc, json));
    default:
      return undefined;
  }
}
