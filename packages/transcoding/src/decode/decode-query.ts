import { type FieldPath, printFieldPath } from "../rules/field-path.js";
import type { HttpRule } from "../rules/http-rule.js";
import { listQueryFields } from "../rules/query-fields.js";
import type { LocalMessage } from "../values/local-message.js";
import type { DecodeOptions } from "./decode-options.js";
import { type DecodeState, DUPLICATE } from "./decode-state.js";
import { createQueryParameters, type QueryParameter } from "./query-parameters.js";
import { describeUnknownName } from "./unknown-name.js";

/**
 * Creates the function that sets the fields that query parameters bind, from the raw text after the question mark. Every field
 * that neither path nor body binds has a parameter, and none with `body: "*"` (google/api/http.proto). An entry of a map has its
 * key in brackets. The query is form-encoded (WHATWG URL, application/x-www-form-urlencoded), but a malformed escape is a
 * violation of its parameter.
 */
export function createQueryDecoder(rule: HttpRule, options: DecodeOptions) {
  const findParameter = createQueryParameters(rule, options);
  const refuseUnknown = createRefusal(rule, options);
  return (query: string, message: LocalMessage, state: DecodeState): void => {
    if (query === "") return;
    const seen = new Set<string>();
    for (const pair of query.split("&")) {
      const equals = pair.indexOf("=");
      const rawName = equals === -1 ? pair : pair.slice(0, equals);
      const name = decodeFormText(rawName);
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
  message: LocalMessage,
  state: DecodeState,
): void {
  state.path.push(parameter.name);
  const value = decodeFormText(rawValue);
  if (seen.has(parameter.name) && !parameter.repeated) {
    state.violate(DUPLICATE);
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
  return path.at(-1)?.fieldKind === "map" ? `${printFieldPath(path)}[key]` : printFieldPath(path);
}

const MALFORMED = "must be percent-encoded UTF-8";

/** Decodes form-encoded text. Returns undefined if an escape or its UTF-8 is malformed. */
export function decodeFormText(raw: string): string | undefined {
  const text = raw.includes("+") ? raw.replaceAll("+", " ") : raw;
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
