import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { type BoundFields, isUnbound, NO_BOUND_FIELDS } from "../rules/bound-fields.js";
import { type HttpRule, hasResponseBody } from "../rules/http-rule.js";
import { createEnumSchema, type EnumSuffix, type EnumUse, findEnumSuffix, findEnumSuffixes } from "./enum-schema.js";
import { createMemberSchema, type FieldSchemaContext } from "./field-schema.js";
import type { ProtoComments } from "./proto-comments.js";
import { createScalarSchema } from "./scalar-schema.js";
import type { Schema } from "./schema.js";
import { isAlwaysPresent, type JsonOptions, memberName, type SchemaUse } from "./schema-use.js";

/** The schemas of message types and enums. Each is created once, as a component with the name of its type. */
export class MessageSchemas implements FieldSchemaContext {
  readonly #components: Record<string, Schema>;
  readonly #returned: ReadonlySet<DescMessage>;
  readonly #enumSuffixes: ReadonlyMap<DescEnum, ReadonlySet<EnumSuffix>>;
  readonly #names = new Map<string, string>();
  readonly #owners = new Map<string, DescMessage | DescEnum>();

  /**
   * @param rules the rules whose message types have schemas. A type can have different schemas in requests and responses.
   * @param written further messages that are written like responses.
   */
  constructor(
    readonly json: JsonOptions,
    readonly comments: ProtoComments,
    components: Record<string, Schema>,
    rules: readonly HttpRule[],
    written: readonly DescMessage[] = [],
  ) {
    this.#components = components;
    this.#returned = findReturnedMessages(rules, written);
    this.#enumSuffixes = findEnumSuffixes(rules, written, json);
  }

  /** Returns the schema of a message type: a reference, except for a type with a special JSON form. */
  messageSchema(desc: DescMessage, use: SchemaUse, bound: BoundFields = NO_BOUND_FIELDS): Schema {
    return findWellKnownSchema(desc, this.json) ?? { $ref: `#/components/schemas/${this.#nameOf(desc, use, bound)}` };
  }

  /** Returns a reference to the schema of an enum in a use. Uses with the same values share one schema. */
  enumSchema(desc: DescEnum, use: EnumUse): Schema {
    if (desc.typeName === "google.protobuf.NullValue") return { type: "null" };
    const spelling = this.json.enums ?? "full";
    const isSingle = this.#enumSuffixes.get(desc)?.size === 1;
    const suffix = isSingle ? "" : findEnumSuffix(desc, use, spelling);
    const name = this.#nameFor(JSON.stringify([desc.typeName, suffix]), desc, suffix, () =>
      createEnumSchema(desc, use, spelling, this.comments),
    );
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Creates the schema of a message's objects, without the fields that the path binds or that are sent as headers. */
  objectSchema(desc: DescMessage, use: SchemaUse, bound: BoundFields = NO_BOUND_FIELDS): Schema {
    const description = this.comments.find(desc);
    const fields = desc.fields.filter((field) => isUnbound(field, bound));
    const required = fields.filter((field) => isAlwaysPresent(field, use, this.json));
    const closed = use.direction === "request" && this.json.unknownFields !== "ignore";
    return {
      type: "object",
      ...(description !== undefined && { description }),
      properties: Object.fromEntries(
        fields.map((field) => [memberName(field, this.json), this.#memberSchema(field, use, bound.get(field))]),
      ),
      ...(required.length > 0 && { required: required.map((field) => memberName(field, this.json)) }),
      ...(closed && { additionalProperties: false }),
    };
  }

  #memberSchema(field: DescField, use: SchemaUse, within: BoundFields | undefined): Schema {
    return within === undefined || field.message === undefined
      ? createMemberSchema(field, use, this)
      : this.messageSchema(field.message, use, within);
  }

  #nameOf(desc: DescMessage, use: SchemaUse, bound: BoundFields): string {
    const key = JSON.stringify([desc.typeName, use.direction, use.refusesNull, printBound(bound)]);
    const suffix = use.direction === "request" && this.#returned.has(desc) ? "Input" : "";
    return this.#nameFor(key, desc, suffix, () => this.objectSchema(desc, use, bound));
  }

  /** Returns the name of the component for a key, and creates the component the first time. */
  #nameFor(key: string, desc: DescMessage | DescEnum, suffix: string, createSchema: () => Schema): string {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = this.#findFreeName(desc, suffix);
    this.#names.set(key, name);
    this.#owners.set(name, desc);
    // Registered before its fields, because a message type can contain itself.
    this.#components[name] = {};
    this.#components[name] = createSchema();
    return name;
  }

  /** Chooses a free name: the type's short name, its full name if that is taken, and a number for further schemas. */
  #findFreeName(desc: DescMessage | DescEnum, suffix: string): string {
    const short = desc.typeName.slice(desc.file.proto.package.length).replace(/^\./, "");
    const isShort = (this.#owners.get(`${short}${suffix}`) ?? desc) === desc;
    const name = `${isShort ? short : desc.typeName}${suffix}`;
    let free = name;
    for (let count = 2; Object.hasOwn(this.#components, free); count++) free = `${name}${count}`;
    return free;
  }
}

function printBound(bound: BoundFields): readonly unknown[] {
  return Array.from(bound, ([field, within]) => [field.number, within === undefined ? [] : printBound(within)]);
}

/** Finds all message types in the responses of rules and in further messages, nested ones included. */
function findReturnedMessages(rules: readonly HttpRule[], written: readonly DescMessage[]): ReadonlySet<DescMessage> {
  const found = new Set<DescMessage>();
  const add = (desc: DescMessage | undefined) => {
    if (desc === undefined || found.has(desc) || findWellKnownSchema(desc, {}) !== undefined) return;
    found.add(desc);
    for (const field of desc.fields) add(field.message);
  };
  for (const { responseBody, rpc } of rules.filter(hasResponseBody)) {
    add(responseBody === undefined ? rpc.output : responseBody.message);
  }
  for (const desc of written) add(desc);
  return found;
}

const SCHEMAS: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ["google.protobuf.Timestamp", { type: "string", format: "date-time" }],
  ["google.protobuf.Duration", { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" }],
  ["google.protobuf.FieldMask", { type: "string" }],
  ["google.protobuf.Struct", { type: "object", additionalProperties: true }],
  ["google.protobuf.ListValue", { type: "array", items: {} }],
  ["google.protobuf.Value", {}],
  ["google.protobuf.Any", { type: "object", properties: { "@type": { type: "string" } }, additionalProperties: true }],
]);

/** Finds the schema of a message type with a special JSON form (ProtoJSON). Returns undefined for other types. */
function findWellKnownSchema(desc: DescMessage, json: JsonOptions = {}): Schema | undefined {
  return isWrapperDesc(desc) ? createScalarSchema(desc.fields[0].scalar, json) : SCHEMAS.get(desc.typeName);
}
