import type { HttpRequest } from "../http/http-request.js";
import { listHeaderFields } from "../rules/header-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import type { LocalMessage } from "../values/local-message.js";
import type { DecodeOptions } from "./decode-options.js";
import { type DecodeState, DUPLICATE } from "./decode-state.js";
import { createTextSetter } from "./text-setter.js";

/** The headers of a request. */
export type RequestHeaders = Pick<HttpRequest, "header" | "isRepeated">;

/** Sets the fields that travel as headers. A field whose header is missing stays unset. */
export type HeaderDecoder = (headers: RequestHeaders, message: LocalMessage, state: DecodeState) => void;

/** Creates the header decoder of a rule. */
export function createHeaderDecoder(rule: HttpRule, options: DecodeOptions): HeaderDecoder {
  const fields = listHeaderFields(rule.rpc.input).map(({ field, name }) => ({
    header: name.toLowerCase(),
    name: field.name,
    decode: createTextSetter([field], options),
  }));
  return (headers, message, state) => {
    for (const { header, name, decode } of fields) {
      const text = headers.header(header);
      if (text === undefined) continue;
      state.path.push(name);
      if (headers.isRepeated?.(header)) state.violate(DUPLICATE);
      else decode(text, message, state);
      state.path.pop();
    }
  };
}
