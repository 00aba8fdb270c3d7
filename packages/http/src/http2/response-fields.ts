import type { HttpHeaders } from "../exchange.js";
import { requireSendable } from "../require-sendable.js";
import type { HeaderFields } from "./hpack/hpack-decoder.js";

/** The cached field lists of frozen headers, each with its status; 0 for trailers. */
const frozenLists = new WeakMap<HttpHeaders, { readonly status: number; readonly fields: HeaderFields }>();

/**
 * Creates the field list of a response head. Lists of frozen headers are cached and frozen, so that they are encoded only once.
 *
 * @throws TypeError if a value has forbidden characters.
 */
export function responseFields(status: number, headers: HttpHeaders): HeaderFields {
  if (!Object.isFrozen(headers)) return createFields(status, headers);
  const cached = frozenLists.get(headers);
  if (cached?.status === status) return cached.fields;
  const fields = Object.freeze(createFields(status, headers));
  frozenLists.set(headers, { status, fields });
  return fields;
}

/** Creates the field list of trailers, and throws, like `responseFields`. Returns undefined if there are none. */
export function trailerFields(trailers: HttpHeaders | undefined): HeaderFields | undefined {
  const fields = trailers && responseFields(0, trailers);
  return fields?.length === 0 ? undefined : fields;
}

function createFields(status: number, headers: HttpHeaders): string[] {
  const fields = status === 0 ? [] : [":status", String(status)];
  for (const name in headers) {
    const value = headers[name] as string | readonly string[];
    if (typeof value === "string") pushField(fields, name, value);
    else for (const each of value) pushField(fields, name, each);
  }
  return fields;
}

/** Appends a field to a list. Throws a `TypeError` if its value has forbidden characters. */
export function pushField(fields: string[], name: string, value: string): void {
  requireSendable(name, value);
  fields.push(name, value);
}
