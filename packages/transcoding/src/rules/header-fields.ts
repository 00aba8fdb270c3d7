import { type DescField, type DescMessage, getOption, hasOption } from "@bufbuild/protobuf";
import { header as headerOption } from "../gen/transcoding/v1/http_pb.js";
import { createWeakCache } from "../values/weak-cache.js";
import { describeFieldKind } from "./field-path.js";
import type { HttpRule } from "./http-rule.js";

/** A field that is sent as a header. */
export interface HeaderField {
  readonly field: DescField;
  /** The name of the header, as spelled in the proto. */
  readonly name: string;
}

/** Matches a token (RFC 9110 section 5.6.2). */
const TOKEN = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;

/** Lists the fields of a message that are sent as headers, instead of in JSON, because of the option `transcoding.v1.header`. */
export function listHeaderFields(message: DescMessage): readonly HeaderField[] {
  return message.fields.filter(isHeaderField).map((field) => ({ field, name: findHeaderName(field) }));
}

/** Lists the response headers of a rule whose values are fields of the response message. `field` is the path of the field. */
export function listResponseHeaders({ rpc, response }: HttpRule) {
  const apart = listHeaderFields(rpc.output).map(({ field, name }) => ({ name, field: field.name }));
  return [...apart, ...(response?.headers ?? [])];
}

/** Whether a rule's responses can have an ETag, so that GET and HEAD can be conditional (RFC 9110 section 8.8.3). */
export function hasEtagHeader(rule: HttpRule): boolean {
  return listResponseHeaders(rule).some(({ name }) => name.toLowerCase() === "etag");
}

export function isHeaderField(field: DescField): boolean {
  return findHeaderName(field) !== "";
}

/** Returns the name of the header as which a field is sent; empty if the field is not sent as a header. */
export const findHeaderName = createWeakCache((field: DescField): string =>
  // Checks first, because getOption creates a message for each field without the option, and most fields do not have it.
  hasOption(field, headerOption) ? getOption(field, headerOption) : "",
);

/** Whether a text is a token (RFC 9110 section 5.6.2), and so can be the name of a header, an HTTP method or a link relation. */
export function isHttpToken(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * Describes the fields of a message that cannot be sent as the headers that their `transcoding.v1.header` options name. Empty if there are none.
 *
 * @param bound the fields that the path or the body binds.
 */
export function findHeaderProblems(message: DescMessage, bound: readonly DescField[]): readonly string[] {
  const taken = new Set<string>();
  return listHeaderFields(message).flatMap(({ field, name }) => {
    const kind = describeFieldKind(field);
    const problems = [
      isHttpToken(name) ? [] : `header "${name}" is not a valid header name`,
      taken.has(name.toLowerCase()) ? `two fields are sent as the header "${name}"` : [],
      kind === undefined ? [] : `header field "${field.name}" is ${kind}; it must be a singular scalar or enum field`,
      bound.includes(field) ? `header field "${field.name}" is already bound by the path or the body` : [],
    ];
    taken.add(name.toLowerCase());
    return problems.flat();
  });
}
