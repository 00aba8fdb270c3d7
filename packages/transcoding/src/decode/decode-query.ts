import { type FieldPath, printFieldPath } from "../rules/field-path.js";
import type { HttpRule } from "../rules/http-rule.js";
import { queryFields } from "../rules/query-fields.js";
import type { LocalMessage } from "../values/local-message.js";
import type { DecodeOptions } from "./decode-options.js";
import { type DecodeState, GIVEN_TWICE } from "./decode-state.js";
import { createTextField, type TextField } from "./text-field.js";
import { describeUnknownName } from "./unknown-name.js";

/** Sets the fields that query parameters bind, from the raw text after the question mark. */
export type QueryDecoder = (query: string, message: LocalMessage, state: DecodeState) => void;

/**
 * Creates the query decoder of a rule: a parameter for every field that neither path nor body binds, none with
 * `body: "*"` (google/api/http.proto). Parameters are written as forms are (WHATWG URL, application/x-www-form-urlencoded),
 * but a malformed escape is a violation of the parameter, and of the name as it came where it is in the name.
 */
export function createQueryDecoder(rule: HttpRule, options: DecodeOptions): QueryDecoder {
  const parameters = createParameters(queryFields(rule), options);
  const refuseUnknown = createRefusal(rule, options);
  return (query, message, state) => {
    if (query === "") {
      return;
    }
    const seen = new Set<Parameter>();
    for (const pair of query.split("&")) {
      const equals = pair.indexOf("=");
      const rawName = equals === -1 ? pair : pair.slice(0, equals);
      const name = decodeFormText(rawName);
      const parameter = parameters.get(name ?? "");
      if (parameter !== undefined) {
        decodeParameter(parameter, equals === -1 ? "" : pair.slice(equals + 1), seen, message, state);
      } else if (pair !== "") {
        refuseUnknown(name, rawName, state);
      }
    }
  };
}

interface Parameter {
  /** The path of proto names. */
  readonly name: string;
  readonly repeated: boolean;
  readonly set: TextField;
}

function decodeParameter(
  parameter: Parameter,
  rawValue: string,
  seen: Set<Parameter>,
  message: LocalMessage,
  state: DecodeState,
): void {
  state.path.push(parameter.name);
  const value = decodeFormText(rawValue);
  if (seen.has(parameter) && !parameter.repeated) {
    state.violate(GIVEN_TWICE);
  } else if (value === undefined) {
    state.violate(MALFORMED);
  } else {
    parameter.set(value, message, state);
  }
  seen.add(parameter);
  state.path.pop();
}

/** Returns the parameters by all spellings of their names: each part of a path is a proto name or a JSON name. */
function createParameters(paths: readonly FieldPath[], options: DecodeOptions): ReadonlyMap<string, Parameter> {
  const parameters = new Map<string, Parameter>();
  for (const path of paths) {
    const repeated = path.at(-1)?.fieldKind === "list";
    const parameter = { name: printFieldPath(path), repeated, set: createTextField(path, options) };
    for (const spelling of spellPath(path)) {
      parameters.set(spelling, parameter);
    }
  }
  return parameters;
}

function spellPath(path: FieldPath): readonly string[] {
  let spellings = [""];
  for (const field of path) {
    const names = new Set([field.name, field.jsonName]);
    spellings = spellings.flatMap((start) => [...names].map((name) => (start === "" ? name : `${start}.${name}`)));
  }
  return spellings;
}

type Refusal = (name: string | undefined, rawName: string, state: DecodeState) => void;

function createRefusal(rule: HttpRule, options: DecodeOptions): Refusal {
  const { unknownQuery = "refuse" } = options;
  if (unknownQuery === "ignore") {
    return () => {};
  }
  const ignored = new Set(unknownQuery === "refuse" ? [] : unknownQuery);
  const names = queryFields(rule).map(printFieldPath);
  return (name, rawName, state) => {
    if (name !== undefined && ignored.has(name)) {
      return;
    }
    state.path.push(name ?? rawName);
    state.violate(name === undefined ? MALFORMED : describeUnknownName("query parameter", name, names));
    state.path.pop();
  };
}

const MALFORMED = "is not percent-encoded UTF-8";

/** Returns the text that a form-encoded one stands for, undefined where an escape or its UTF-8 is malformed. */
function decodeFormText(raw: string): string | undefined {
  const text = raw.includes("+") ? raw.replaceAll("+", " ") : raw;
  if (!text.includes("%")) {
    return text;
  }
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
