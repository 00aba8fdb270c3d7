import { headerFields } from "../rules/header-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import type { LocalMessage } from "../values/local-message.js";
import type { DecodeOptions } from "./decode-options.js";
import { type DecodeState, GIVEN_TWICE } from "./decode-state.js";
import { createTextField } from "./text-field.js";

/** The headers of a request. */
export interface RequestHeaders {
  /** The value of a header, of repeated ones the list of all; the name is in lower case. */
  header(name: string): string | undefined;
  /** Whether a header came on several lines; the name is in lower case. Absent where the runtime joins the lines. */
  isRepeated?(name: string): boolean;
}

/** Sets the fields that travel as headers; those whose header is not there stay unset. */
export type HeaderDecoder = (headers: RequestHeaders, message: LocalMessage, state: DecodeState) => void;

/** Creates the header decoder of a rule. */
export function createHeaderDecoder(rule: HttpRule, options: DecodeOptions): HeaderDecoder {
  const fields = headerFields(rule.rpc.input).map(({ field, name }) => ({
    header: name.toLowerCase(),
    name: field.name,
    decode: createTextField([field], options),
  }));
  return (headers, message, state) => {
    for (const { header, name, decode } of fields) {
      const text = headers.header(header);
      if (text === undefined) continue;
      state.path.push(name);
      if (headers.isRepeated?.(header)) state.violate(GIVEN_TWICE);
      else decode(text, message, state);
      state.path.pop();
    }
  };
}
