import type { DescField } from "@bufbuild/protobuf";
import { type FieldPath, formatFieldPath, getLastField } from "../rules/field-path.js";
import type { HttpRule } from "../rules/http-rule.js";
import { findQueryField, listQueryFields } from "../rules/query-fields.js";
import { setOwnProperty, type UntypedMessage } from "../values/untyped-message.js";
import { createWeakCache } from "../values/weak-cache.js";
import type { DecodeOptions } from "./decode-options.js";
import { type DecodeState, DUPLICATE_VIOLATION, formatMapKeySegment } from "./decode-state.js";
import { MAX_JSON_DEPTH } from "./json-reader.js";
import { createScalarTextParser } from "./text-parser.js";
import { createFieldTextDecoder, createFieldTextSetter, type FieldTextSetter } from "./text-setter.js";
import { describeUnknownName } from "./unknown-name.js";

/**
 * Creates the function that sets fields from query parameters. The function takes the text after the question mark, before percent-decoding.
 *
 * Every field that neither the path nor the body binds has a parameter. With `body: "*"`, there are no parameters (google/api/http.proto). The
 * parameter for a map entry has the key in brackets. The query is form-encoded (WHATWG URL, application/x-www-form-urlencoded), but a malformed
 * escape is a violation.
 */
export function createQueryDecoder(rule: HttpRule, options: DecodeOptions) {
  const findParameter = createQueryParameters(rule, options);
  const refuseUnknown = createRefusal(rule, options);
  return (query: string, message: UntypedMessage, state: DecodeState): void => {
    const seen = new Set<string>();
    for (const pair of query.split("&")) {
      const equals = pair.indexOf("=");
      const rawName = equals === -1 ? pair : pair.slice(0, equals);
      const name = decodeFormEncodedText(rawName);
      const parameter = name === undefined ? undefined : findParameter(name);
      if (parameter !== undefined) {
        decodeParameter(parameter, equals === -1 ? "" : pair.slice(equals + 1), seen, message, state);
      } else if (pair !== "") {
        refuseUnknown(name, rawName, state);
      }
    }
  };
}

function decodeParameter(
  parameter: QueryParameter,
  rawValue: string,
  seen: Set<string>,
  message: UntypedMessage,
  state: DecodeState,
): void {
  state.path.push(parameter.name);
  const value = decodeFormEncodedText(rawValue);
  if (seen.has(parameter.name) && !parameter.repeated) {
    state.violate(DUPLICATE_VIOLATION);
  } else if (value === undefined) {
    state.violate(MALFORMED);
  } else {
    parameter.set(value, message, state);
  }
  seen.add(parameter.name);
  state.path.pop();
}

function createRefusal(rule: HttpRule, { unknownQuery = "refuse" }: DecodeOptions) {
  const ignored = new Set(typeof unknownQuery === "string" ? [] : unknownQuery);
  let names: readonly string[] | undefined;
  return (name: string | undefined, rawName: string, state: DecodeState): void => {
    if (state.isFull || unknownQuery === "ignore" || (name !== undefined && ignored.has(name))) return;
    state.path.push(name ?? rawName);
    names ??= listQueryFields(rule).map(printParameter);
    state.violate(name === undefined ? MALFORMED : describeUnknownName("query parameter", name, names));
    state.path.pop();
  };
}

function printParameter(path: FieldPath): string {
  return path.at(-1)?.fieldKind === "map" ? `${formatFieldPath(path)}[key]` : formatFieldPath(path);
}

interface QueryParameter {
  /** The path of the field in violations. It consists of proto names. For a map entry, it ends with the key. */
  readonly name: string;
  readonly repeated: boolean;
  readonly set: FieldTextSetter;
}

/**
 * Creates the function that finds a rule's query parameter by name. The parts of the name can be proto names or JSON names. The function returns
 * undefined for an unknown name.
 *
 * Creates the parameters of top-level fields in advance. Creates the parameters of nested fields on demand, because a recursive message has
 * infinitely many nested fields.
 */
function createQueryParameters(rule: HttpRule, options: DecodeOptions) {
  const readerOf = createWeakCache((field: DescField) => createFieldTextDecoder(field, options));
  const find: ParameterFinder = (parts, key) => {
    const path = findQueryField(rule, parts);
    if (path === undefined) return undefined;
    const field = getLastField(path);
    const name = formatFieldPath(path);
    if (field.fieldKind !== "map") {
      const repeated = field.fieldKind === "list";
      return key === undefined ? { name, repeated, set: createFieldTextSetter(path, readerOf(field)) } : undefined;
    }
    if (key === undefined) return createRefusedParameter(name, `needs a key, as in ${name}[key]`);
    const entry = `${name}${formatMapKeySegment(key)}`;
    const keys = createScalarTextParser(field.mapKey, false, options);
    if (keys.parse(key) === undefined)
      return createRefusedParameter(entry, `has an invalid key, which ${keys.expected}`);
    const setEntry = (message: UntypedMessage, value: unknown) =>
      setOwnProperty(message[field.localName] as Record<string, unknown>, key, value);
    return { name: entry, repeated: false, set: createFieldTextSetter(path, readerOf(field), setEntry) };
  };
  const known = new Map<string, QueryParameter>();
  for (const { name, jsonName } of rule.rpc.input.fields) {
    const parameter = find([name], undefined);
    if (parameter !== undefined) known.set(jsonName, parameter).set(name, parameter);
  }
  return (name: string): QueryParameter | undefined => known.get(name) ?? findNested(name, find);
}

type ParameterFinder = (parts: readonly string[], key: string | undefined) => QueryParameter | undefined;

/** Finds the parameter for a nested field, which has a dotted name, or for a map entry. */
function findNested(name: string, find: ParameterFinder): QueryParameter | undefined {
  const bracket = name.indexOf("[");
  if (bracket === -1 ? !name.includes(".") : !name.endsWith("]")) return undefined;
  const path = bracket === -1 ? name : name.slice(0, bracket);
  const parts = path.split(".");
  if (parts.length > MAX_JSON_DEPTH)
    return createRefusedParameter(path, `is nested more than ${MAX_JSON_DEPTH} levels deep`);
  return find(parts, bracket === -1 ? undefined : name.slice(bracket + 1, -1));
}

function createRefusedParameter(name: string, description: string): QueryParameter {
  return { name, repeated: true, set: (_text, _message, state) => state.violate(description) };
}

const MALFORMED = "must be percent-encoded UTF-8";

/** Decodes form-encoded text. Returns undefined if the text contains a malformed escape or bytes that are not UTF-8. */
export function decodeFormEncodedText(raw: string): string | undefined {
  const text = raw.includes("+") ? raw.replaceAll("+", " ") : raw;
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
