import type { HttpHeaders } from "../exchange.js";
import type { HeaderFields } from "./hpack/hpack-decoder.js";

/** The cached field lists of frozen headers, each with its status; 0 for trailers. */
const frozenLists = new WeakMap<HttpHeaders, { readonly status: number; readonly fields: HeaderFields }>();

/** Creates the field list of a response head. Lists of frozen headers are cached and frozen, so that connections encode them only once. */
export function responseFields(status: number, headers: HttpHeaders): HeaderFields {
  if (!Object.isFrozen(headers)) return pushFields([":status", String(status)], headers);
  const cached = frozenLists.get(headers);
  if (cached?.status === status) return cached.fields;
  const fields = Object.freeze(pushFields([":status", String(status)], headers));
  frozenLists.set(headers, { status, fields });
  return fields;
}

/** Creates the field list of trailers. Lists of frozen trailers are cached and frozen. */
export function trailerFields(trailers: HttpHeaders): HeaderFields {
  if (!Object.isFrozen(trailers)) return pushFields([], trailers);
  const cached = frozenLists.get(trailers);
  if (cached?.status === 0) return cached.fields;
  const fields = Object.freeze(pushFields([], trailers));
  frozenLists.set(trailers, { status: 0, fields });
  return fields;
}

function pushFields(fields: string[], headers: HttpHeaders): string[] {
  for (const name in headers) {
    const value = headers[name] as string | readonly string[];
    if (typeof value === "string") fields.push(name, value);
    else for (const each of value) fields.push(name, each);
  }
  return fields;
}
