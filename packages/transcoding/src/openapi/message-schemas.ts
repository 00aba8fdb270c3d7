import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { type BoundFields, isUnboundField, NO_BOUND_FIELDS } from "../rules/bound-fields.js";
import { type HttpRule, hasResponseBody } from "../rules/http-rule.js";
import {
  createEnumSchema,
  type EnumComponentSuffix,
  type EnumUse,
  findEnumComponentSuffix,
  findEnumComponentSuffixes,
} from "./enum-schema.js";
import { createObjectMemberSchema, type FieldSchemaContext } from "./field-schema.js";
import type { ProtoComments } from "./proto-comments.js";
import { createScalarSchema } from "./scalar-schema.js";
import type { Schema } from "./schema.js";
import { getJsonFieldName, isFieldAlwaysPresent, type JsonOptions, type SchemaUse } from "./schema-use.js";

/** The schemas of message types and enums. Each schema is created once, as a component that is named after the type. */
export class MessageSchemas implements FieldSchemaContext {
  readonly #components: Record<string, Schema>;
  readonly #returned: ReadonlySet<DescMessage>;
  readonly #enumSuffixes: ReadonlyMap<DescEnum, ReadonlySet<EnumComponentSuffix>>;
  readonly #names = new Map<string, string>();
  readonly #owners = new Map<string, DescMessage | DescEnum>();

  /**
   * @param rules all rules of the document, for finding the types that need different schemas in requests and responses.
   * @param written further message types that the document contains. The service writes their JSON in the form of responses.
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
    this.#enumSuffixes = findEnumComponentSuffixes(rules, written, json);
  }

  /** Returns the schema of a message type. It is a reference to a component, except for a type with a special JSON form. */
  messageSchema(desc: DescMessage, use: SchemaUse, bound: BoundFields = NO_BOUND_FIELDS): Schema {
    return findWellKnownSchema(desc, this.json) ?? { $ref: `#/components/schemas/${this.#nameOf(desc, use, bound)}` };
  }

  /** Returns a reference to the schema of an enum for this use. Uses with the same values share one schema. */
  enumSchema(desc: DescEnum, use: EnumUse): Schema {
    if (desc.typeName === "google.protobuf.NullValue") return { type: "null" };
    const spelling = this.json.enums ?? "full";
    const isSingle = this.#enumSuffixes.get(desc)?.size === 1;
    const suffix = isSingle ? "" : findEnumComponentSuffix(desc, use, spelling);
    const name = this.#nameFor(JSON.stringify([desc.typeName, suffix]), desc, suffix, () =>
      createEnumSchema(desc, use, spelling, this.comments),
    );
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Creates the schema of the JSON objects of a message type, without fields that the path binds and fields that are sent as headers. */
  objectSchema(desc: DescMessage, use: SchemaUse, bound: BoundFields = NO_BOUND_FIELDS): Schema {
    const description = this.comments.find(desc);
    const fields = desc.fields.filter((field) => isUnboundField(field, bound));
    const required = fields.filter((field) => isFieldAlwaysPresent(field, use, this.json));
    const closed = use.direction === "request" && this.json.unknownFields !== "ignore";
    return {
      type: "object",
      ...(description !== undefined && { description }),
      properties: Object.fromEntries(
        fields.map((field) => [getJsonFieldName(field, this.json), this.#memberSchema(field, use, bound.get(field))]),
      ),
      ...(required.length > 0 && { required: required.map((field) => getJsonFieldName(field, this.json)) }),
      ...(closed && { additionalProperties: false }),
    };
  }

  #memberSchema(field: DescField, use: SchemaUse, within: BoundFields | undefined): Schema {
    return within === undefined || field.message === undefined
      ? createObjectMemberSchema(field, use, this)
      : this.messageSchema(field.message, use, within);
  }

  #nameOf(desc: DescMessage, use: SchemaUse, bound: BoundFields): string {
    const key = JSON.stringify([desc.typeName, use.direction, use.refusesNull, printBound(bound)]);
    const suffix = use.direction === "request" && this.#returned.has(desc) ? "Input" : "";
    return this.#nameFor(key, desc, suffix, () => this.objectSchema(desc, use, bound));
  }

  /** Returns the name of the component for a key. Creates the component when it is first needed. */
  #nameFor(key: string, desc: DescMessage | DescEnum, suffix: string, createSchema: () => Schema): string {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = this.#findFreeName(desc, suffix);
    this.#names.set(key, name);
    this.#owners.set(name, desc);
    // Adds the component before it creates the schema, because a message type can contain itself.
    this.#components[name] = {};
    this.#components[name] = createSchema();
    return name;
  }

  /** Chooses a name for a type's schema: the short name, or the full name if another type has that short name. Adds a number if the name is taken. */
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

/** Finds all message types in the responses of rules and in the `written` messages, including nested messages. */
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

/** Returns the schema of a message type with a special JSON form (ProtoJSON). Returns undefined for all other types. */
function findWellKnownSchema(desc: DescMessage, json: JsonOptions = {}): Schema | undefined {
  return isWrapperDesc(desc) ? createScalarSchema(desc.fields[0].scalar, json) : SCHEMAS.get(desc.typeName);
}
