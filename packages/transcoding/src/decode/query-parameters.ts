import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { type BoundFields, isUnbound, NOTHING_BOUND } from "../rules/bound-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import { findNonQueryFields } from "../rules/query-fields.js";
import { findQueryUse } from "../rules/query-use.js";
import { setOwn } from "../values/local-message.js";
import type { DecodeOptions } from "./decode-options.js";
import { formatMapKeySegment } from "./decode-state.js";
import { createMessageOpener, type MessageOpener, openAll } from "./field-setter.js";
import { createScalarTextParser } from "./field-value.js";
import { MAX_DEPTH } from "./json-reader.js";
import { createTextValueParser, createValueSetter, type TextSetter } from "./text-setter.js";

/** A query parameter and the field that it sets. */
export interface QueryParameter {
  /** The path of proto names, with the key of a map entry at its end. Violations use it. */
  readonly name: string;
  readonly repeated: boolean;
  readonly set: TextSetter;
}

/** Finds a parameter by name. Each part of the name is a proto name or a JSON name. Returns undefined for an unknown name. */
export type QueryParameters = (name: string) => QueryParameter | undefined;

/**
 * Creates the query parameters of a rule. Nested parameters are resolved part by part on demand, because a recursive message
 * has infinitely many.
 */
export function createQueryParameters(rule: HttpRule, options: DecodeOptions): QueryParameters {
  if (rule.body.kind === "message") return () => undefined;
  const root = createNode(rule.rpc.input, findNonQueryFields(rule), options, new Map());
  return (name) => {
    const member = root.get(name);
    if (member !== undefined) return member.parameter;
    const bracket = name.indexOf("[");
    if (bracket === -1) return name.includes(".") ? findNested(root, name, undefined) : undefined;
    return name.endsWith("]") ? findNested(root, name.slice(0, bracket), name.slice(bracket + 1, -1)) : undefined;
  };
}

/** The members of a message by both their names. */
type QueryNode = Map<string, QueryMember>;

/** A field as one part of the names of parameters. */
interface QueryMember {
  readonly field: DescField;
  /** The parameter named by this field alone; undefined for fields of nested messages. */
  readonly parameter: QueryParameter | undefined;
  /** Creates the parameter whose name ends with this field, and with `key` for an entry of a map. */
  readonly createParameter: (
    name: string,
    key: string | undefined,
    parents: readonly MessageOpener[],
  ) => QueryParameter | undefined;
  /** Opens the message in the field; undefined for a field that is not a message. */
  readonly open: MessageOpener | undefined;
  readonly within: QueryNode;
}

/** The nodes of message types whose fields all come from the query. */
type KnownNodes = Map<DescMessage, QueryNode>;

function createNode(desc: DescMessage, bound: BoundFields, options: DecodeOptions, known: KnownNodes): QueryNode {
  const node: QueryNode = new Map();
  if (bound.size === 0) {
    const shared = known.get(desc);
    if (shared !== undefined) return shared;
    // Registered before its fields, because a message type can contain itself.
    known.set(desc, node);
  }
  for (const field of desc.fields.filter((each) => isUnbound(each, bound))) {
    const member = createMember(field, bound.get(field) ?? NOTHING_BOUND, options, known);
    if (member !== undefined) node.set(field.jsonName, member).set(field.name, member);
  }
  return node;
}

const NO_PARENTS: readonly MessageOpener[] = [];

function createMember(
  field: DescField,
  bound: BoundFields,
  options: DecodeOptions,
  known: KnownNodes,
): QueryMember | undefined {
  const use = findQueryUse(field);
  if (use.kind === "none") return undefined;
  if (use.kind === "message") {
    const within = createNode(use.message, bound, options, known);
    return { field, parameter: undefined, createParameter: () => undefined, open: createMessageOpener(field), within };
  }
  const createParameter = use.kind === "map" ? createMapFactory(field, options) : createValueFactory(field, options);
  const parameter = createParameter(field.name, undefined, NO_PARENTS);
  return { field, parameter, createParameter, open: undefined, within: new Map() };
}

function createValueFactory(field: DescField, options: DecodeOptions): QueryMember["createParameter"] {
  const read = createTextValueParser(field, options);
  const store = createValueSetter(field);
  const repeated = field.fieldKind === "list";
  return (name, key, parents) => {
    if (key !== undefined) return undefined;
    return {
      name,
      repeated,
      set(text, message, state) {
        const value = read(text, state);
        if (value !== undefined) store(openAll(parents, message, state), value, state);
      },
    };
  };
}

function createMapFactory(field: DescField, options: DecodeOptions): QueryMember["createParameter"] {
  const read = createTextValueParser(field, options);
  const keys = createScalarTextParser((field as DescField & { fieldKind: "map" }).mapKey, false, options);
  return (name, key, parents) => {
    if (key === undefined) return createRefusal(name, `needs a key, as in ${name}[key]`);
    const isKey = keys.parse(key) !== undefined;
    return {
      name: `${name}${formatMapKeySegment(key)}`,
      repeated: false,
      set(text, message, state) {
        const value = isKey ? read(text, state) : state.violate(`the key ${keys.expected}`);
        if (value === undefined) return;
        const map = openAll(parents, message, state)[field.localName];
        setOwn(map as Record<string, unknown>, key, value);
      },
    };
  };
}

/** Finds the parameter of a name with several parts, or with a key. */
function findNested(root: QueryNode, path: string, key: string | undefined): QueryParameter | undefined {
  const parts = path.split(".");
  if (parts.length > MAX_DEPTH) return createRefusal(path, `is nested more than ${MAX_DEPTH} levels deep`);
  const names: string[] = [];
  const parents: MessageOpener[] = [];
  let node = root;
  for (const [index, part] of parts.entries()) {
    const member = node.get(part);
    if (member === undefined) return undefined;
    names.push(member.field.name);
    if (index === parts.length - 1) return member.createParameter(names.join("."), key, parents);
    if (member.open === undefined) return undefined;
    parents.push(member.open);
    node = member.within;
  }
  return undefined;
}

function createRefusal(name: string, description: string): QueryParameter {
  return { name, repeated: true, set: (_text, _message, state) => state.violate(description) };
}
