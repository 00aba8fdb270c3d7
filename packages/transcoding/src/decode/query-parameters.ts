import type { DescField } from "@bufbuild/protobuf";
import { type FieldPath, lastField, printFieldPath } from "../rules/field-path.js";
import type { HttpRule } from "../rules/http-rule.js";
import { findQueryField } from "../rules/query-fields.js";
import { setOwn } from "../values/local-message.js";
import { createWeakCache } from "../values/weak-cache.js";
import type { DecodeOptions } from "./decode-options.js";
import { formatMapKeySegment } from "./decode-state.js";
import { createMessageOpener, openAll } from "./field-setter.js";
import { MAX_DEPTH } from "./json-reader.js";
import { createScalarTextParser, type TextParser } from "./text-parser.js";
import { createTextReader, createTextSetter, type TextReader, type TextSetter } from "./text-setter.js";

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
 * Creates the query parameters of a rule. Those that consist of one field are created once. All others are created on demand,
 * because a recursive message has infinitely many.
 */
export function createQueryParameters(rule: HttpRule, options: DecodeOptions): QueryParameters {
  const readerOf = createWeakCache((field: DescField) => createTextReader(field, options));
  const find: ParameterFinder = (parts, key) => {
    const path = findQueryField(rule, parts);
    if (path === undefined) return undefined;
    const field = lastField(path);
    const name = printFieldPath(path);
    if (field.fieldKind !== "map") {
      const repeated = field.fieldKind === "list";
      return key === undefined ? { name, repeated, set: createTextSetter(path, readerOf(field)) } : undefined;
    }
    if (key === undefined) return createRefusal(name, `needs a key, as in ${name}[key]`);
    const keys = createScalarTextParser(field.mapKey, false, options);
    const set = createEntrySetter(path, key, keys, readerOf(field));
    return { name: `${name}${formatMapKeySegment(key)}`, repeated: false, set };
  };
  const known = new Map<string, QueryParameter>();
  for (const { name, jsonName } of rule.rpc.input.fields) {
    const parameter = find([name], undefined);
    if (parameter !== undefined) known.set(jsonName, parameter).set(name, parameter);
  }
  return (name) => known.get(name) ?? findNested(name, find);
}

type ParameterFinder = (parts: readonly string[], key: string | undefined) => QueryParameter | undefined;

function createEntrySetter(path: FieldPath, key: string, keys: TextParser, read: TextReader): TextSetter {
  const openers = path.slice(0, -1).map(createMessageOpener);
  const { localName } = lastField(path);
  return (text, message, state) => {
    const value = keys.parse(key) === undefined ? state.violate(`the key ${keys.expected}`) : read(text, state);
    if (value === undefined) return;
    const map = openAll(openers, message, state)[localName];
    setOwn(map as Record<string, unknown>, key, value);
  };
}

/** Finds the parameter of a name with several parts, or with a key. */
function findNested(name: string, find: ParameterFinder): QueryParameter | undefined {
  const bracket = name.indexOf("[");
  if (bracket === -1 ? !name.includes(".") : !name.endsWith("]")) return undefined;
  const path = bracket === -1 ? name : name.slice(0, bracket);
  const parts = path.split(".");
  if (parts.length > MAX_DEPTH) return createRefusal(path, `is nested more than ${MAX_DEPTH} levels deep`);
  return find(parts, bracket === -1 ? undefined : name.slice(bracket + 1, -1));
}

function createRefusal(name: string, description: string): QueryParameter {
  return { name, repeated: true, set: (_text, _message, state) => state.violate(description) };
}
