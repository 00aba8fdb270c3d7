import { printFieldPath } from "../rules/field-path.js";
import type { HttpRule } from "../rules/http-rule.js";
import type { LocalMessage } from "../values/local-message.js";
import type { DecodeOptions } from "./decode-options.js";
import type { DecodeState } from "./decode-state.js";
import { createTextSetter } from "./text-setter.js";

/** Sets the fields that the path binds from the decoded values of the template's variables, in their order. */
export type PathDecoder = (values: readonly string[], message: LocalMessage, state: DecodeState) => void;

/** Creates the path decoder of a rule. */
export function createPathDecoder(rule: HttpRule, options: DecodeOptions): PathDecoder {
  const fields = rule.pathFields.map((path) => ({
    name: printFieldPath(path),
    decode: createTextSetter(path, options),
  }));
  return (values, message, state) => {
    let index = 0;
    for (const { name, decode } of fields) {
      state.path.push(name);
      decode(values[index++] ?? "", message, state);
      state.path.pop();
    }
    state.pathValid = state.violations.length === 0;
  };
}
