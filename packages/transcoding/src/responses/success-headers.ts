import type { Message } from "@bufbuild/protobuf";
import { decodeFormEncodedText } from "../decode/decode-query.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import { createFieldReader, type FieldReader } from "../encode/field-reader.js";
import type { Link } from "../gen/transcoding/v1/http_pb.js";
import type { MutableHeaders } from "../http/http-response.js";
import { appendHeader, textToHeaderValue } from "../http/response-headers.js";
import type { RequestTarget } from "../routing/request-target.js";
import { listLocationTemplates } from "../rules/check-http-response-option.js";
import type { FieldPath } from "../rules/field-path.js";
import { listResponseHeaders } from "../rules/header-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import { findQueryField } from "../rules/query-fields.js";
import { createLocationReader } from "./location-header.js";

/** Adds a header whose value is a field of the response message. Adds nothing if the field is unset or empty. */
export type ResponseHeaderWriter = (headers: MutableHeaders, message: Message, target: RequestTarget) => void;

export function createResponseHeaderWriters(
  rule: HttpRule,
  basePath: string,
  json: EncodeOptions,
): readonly ResponseHeaderWriter[] {
  const { output } = rule.rpc;
  const writers = listResponseHeaders(rule).map(({ name, field }) =>
    createWriter(name.toLowerCase(), createFieldReader(output, field, json)),
  );
  const locations = listLocationTemplates(rule.response).map((location) =>
    createLocationReader(location, basePath, (path) => createFieldReader(output, path, json)),
  );
  if (locations.length > 0) writers.push(createWriter("location", readFirst(locations)));
  for (const link of rule.response?.links ?? []) {
    const read = createLinkReader(link, rule, json);
    writers.push((headers, message, target) => {
      const value = read(message, target);
      if (value !== undefined) appendHeader(headers, "link", value);
    });
  }
  return writers;
}

/** Creates a reader that returns the text of the first of several readers whose field is set and not empty. */
function readFirst(readers: readonly FieldReader[]): FieldReader {
  return (message) => {
    for (const read of readers) {
      const text = read(message);
      if (text !== undefined) return text;
    }
    return undefined;
  };
}

function createWriter(name: string, read: FieldReader): ResponseHeaderWriter {
  return (headers, message) => {
    const value = read(message);
    if (value !== undefined) headers[name] = textToHeaderValue(value);
  };
}

// Characters that clients send although RFC 3986 forbids them in URIs. Some of them would end the URI in a Link header too early.
const NOT_IN_URI = /[<>"\\^`{|}]/g;

/**
 * Creates the function that returns a Link header (RFC 8288 section 3), or undefined if the field `link.field` is unset or empty. The linked URI is
 * the request's target, with the query parameter `link.parameter` set to the value of the field. The new parameter replaces the request's parameter
 * for the same field, whose name can consist of proto names and JSON names. Throws an Error if the response message has no field `link.field`.
 */
function createLinkReader(link: Link, rule: HttpRule, options: EncodeOptions) {
  const read = createFieldReader(rule.rpc.output, link.field, options);
  const path = findQueryField(rule, link.parameter.split("."));
  const names = new Set(path === undefined ? [link.parameter] : listParameterNames(path));
  return (message: Message, target: RequestTarget): string | undefined => {
    const value = read(message);
    if (value === undefined) return undefined;
    const kept = (target.query ?? "").split("&").filter((pair) => pair !== "" && !names.has(parameterName(pair)));
    const parameter = `${encodeURIComponent(link.parameter)}=${encodeURIComponent(value.toWellFormed())}`;
    const uri = `${target.path}?${[...kept, parameter].join("&")}`.replace(NOT_IN_URI, encodeURIComponent);
    return textToHeaderValue(`<${uri}>; rel="${link.rel}"`);
  };
}

/** Lists all names of the query parameter for a field. */
function listParameterNames([first, ...rest]: FieldPath): readonly string[] {
  return rest.reduce(
    (names, field) => names.flatMap((name) => [`${name}.${field.name}`, `${name}.${field.jsonName}`]),
    [first.name, first.jsonName],
  );
}

function parameterName(pair: string): string {
  const [name = ""] = pair.split("=", 1);
  return decodeFormEncodedText(name) ?? name;
}
