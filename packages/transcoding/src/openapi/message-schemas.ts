import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { BoundFields } from "../rules/bound-fields.js";
import { isHeaderField } from "../rules/header-fields.js";
import { createMemberSchema, type FieldSchemaContext } from "./field-schema.js";
import type { ProtoComments } from "./proto-comments.js";
import type { Schema } from "./schema.js";
import { isAlwaysThere, type JsonForm, memberName, type SchemaUse } from "./schema-use.js";
import { findWellKnownSchema } from "./well-known-schema.js";

const NONE: BoundFields = new Map();

/** The schemas of message types, each made once and put among the components under the type's name. */
export class MessageSchemas implements FieldSchemaContext {
  readonly json: JsonForm;
  readonly comments: ProtoComments;
  readonly #components: Record<string, Schema>;
  readonly #returned: ReadonlySet<DescMessage>;
  readonly #names = new Map<string, string>();
  readonly #owners = new Map<string, DescMessage>();

  /** `returned` are the types that responses have; in requests their schemas are another and get another name. */
  constructor(
    json: JsonForm,
    comments: ProtoComments,
    components: Record<string, Schema>,
    returned: ReadonlySet<DescMessage>,
  ) {
    this.json = json;
    this.comments = comments;
    this.#components = components;
    this.#returned = returned;
  }

  /** The schema of a message type: a reference, save for a type with a JSON form of its own. */
  messageSchema(desc: DescMessage, use: SchemaUse, bound: BoundFields = NONE): Schema {
    return findWellKnownSchema(desc, this.json) ?? { $ref: `#/components/schemas/${this.#nameOf(desc, use, bound)}` };
  }

  /** The schema of the objects of a message type without the fields that the path binds and those that travel as headers. */
  objectSchema(desc: DescMessage, use: SchemaUse, bound: BoundFields = NONE): Schema {
    const description = this.comments.find(desc);
    const fields = desc.fields.filter((field) => isMember(field, bound));
    const required = fields.filter((field) => isAlwaysThere(field, use, this.json));
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
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = this.#findFreeName(desc, use);
    this.#names.set(key, name);
    this.#owners.set(name, desc);
    // Before its fields, for the type may be within itself.
    this.#components[name] = {};
    this.#components[name] = this.objectSchema(desc, use, bound);
    return name;
  }

  /** The type's name without its package, in full where another type has that, and with a number from its second schema on. */
  #findFreeName(desc: DescMessage, { direction }: SchemaUse): string {
    const suffix = direction === "request" && this.#returned.has(desc) ? "Input" : "";
    const short = desc.typeName.slice(desc.file.proto.package.length).replace(/^\./, "");
    const isShort = (this.#owners.get(`${short}${suffix}`) ?? desc) === desc;
    const name = `${isShort ? short : desc.typeName}${suffix}`;
    if (!Object.hasOwn(this.#components, name)) return name;
    for (let count = 2; ; count++) {
      if (!Object.hasOwn(this.#components, `${name}${count}`)) return `${name}${count}`;
    }
  }
}

function isMember(field: DescField, bound: BoundFields): boolean {
  return !isHeaderField(field) && (!bound.has(field) || bound.get(field) !== undefined);
}

function printBound(bound: BoundFields): readonly unknown[] {
  return Array.from(bound, ([field, within]) => [field.number, within === undefined ? [] : printBound(within)]);
}
