import { type DescField, type DescMessage, getOption, hasOption } from "@bufbuild/protobuf";
import { header as headerOption } from "../gen/transcoding/v1/http_pb.js";
import { describeKind } from "./field-path.js";
import type { HttpRule } from "./http-rule.js";

/** A field that is sent as a header. */
export interface HeaderField {
  readonly field: DescField;
  /** The header's name, as spelled in the proto. */
  readonly name: string;
}

/** RFC 9110 section 5.6.2. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;

/** Lists the fields of a message that are sent as headers instead of as members of its JSON object (`transcoding.v1.header`). */
export function listHeaderFields(message: DescMessage): readonly HeaderField[] {
  return message.fields.filter(isHeaderField).map((field) => ({ field, name: headerNameOf(field) }));
}

/** Lists the headers of a rule's responses that contain fields of the response, with the paths of the fields. */
export function listResponseHeaders({ rpc, response }: HttpRule) {
  const apart = listHeaderFields(rpc.output).map(({ field, name }) => ({ name, field: field.name }));
  return [...apart, ...(response?.headers ?? [])];
}

/** Whether a GET or HEAD can be conditional (RFC 9110 section 8.8.3). A response whose field for the ETag is unset or empty has no ETag. */
export function hasEtag(rule: HttpRule): boolean {
  return listResponseHeaders(rule).some(({ name }) => name.toLowerCase() === "etag");
}

export function isHeaderField(field: DescField): boolean {
  return headerNameOf(field) !== "";
}

/** Returns the name of the header that carries a field; empty if none does. */
export function headerNameOf(field: DescField): string {
  // Without this check, getOption would create a message for each field without the option, which is most fields.
  return hasOption(field, headerOption) ? getOption(field, headerOption) : "";
}

/** Whether a text is a token, so that it can be the name of a header, a method or a link relation. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * Describes which fields of a message cannot be sent as the headers that their options name. Empty if all can.
 *
 * @param bound the fields that the path or the body binds.
 */
export function findHeaderProblems(message: DescMessage, bound: readonly DescField[]): readonly string[] {
  const taken = new Set<string>();
  return listHeaderFields(message).flatMap(({ field, name }) => {
    const kind = describeKind(field);
    const problems = [
      isToken(name) ? [] : `header "${name}" is not a valid header name`,
      taken.has(name.toLowerCase()) ? `two fields are sent as the header "${name}"` : [],
      kind === undefined ? [] : `header field "${field.name}" is ${kind}; it must be a singular scalar or enum field`,
      bound.includes(field) ? `header field "${field.name}" is already bound by the path or the body` : [],
    ];
    taken.add(name.toLowerCase());
    return problems.flat();
  });
}
