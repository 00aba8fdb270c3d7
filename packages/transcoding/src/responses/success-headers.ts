import type { Message } from "@bufbuild/protobuf";
import type { EncodeOptions } from "../encode/encode-options.js";
import { createFieldReader, type FieldReader } from "../encode/field-reader.js";
import type { MutableHeaders } from "../http/http-response.js";
import { appendHeader, textToHeaderValue } from "../http/response-headers.js";
import type { RequestTarget } from "../routing/request-target.js";
import { listResponseHeaders } from "../rules/header-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import { createLinkReader } from "./link-header.js";
import { createLocationReader } from "./location-header.js";

/** Adds the headers that a rule takes from its response message. */
export type HeaderWriter = (headers: MutableHeaders, message: Message, target: RequestTarget) => void;

/** Creates the writers of the headers that a rule takes from its response messages. */
export function createHeaderWriters(rule: HttpRule, basePath: string, json: EncodeOptions): readonly HeaderWriter[] {
  const { output } = rule.rpc;
  const writers = listResponseHeaders(rule).map(({ name, field }) =>
    createWriter(name.toLowerCase(), createFieldReader(output, field, json)),
  );
  if (rule.response?.location) {
    const read = createLocationReader(rule.response.location, basePath, (path) =>
      createFieldReader(output, path, json),
    );
    writers.push(createWriter("location", read));
  }
  for (const link of rule.response?.links ?? []) {
    const read = createLinkReader(link, rule.rpc, json);
    writers.push((headers, message, target) => {
      const value = read(message, target);
      if (value !== undefined) appendHeader(headers, "link", value);
    });
  }
  return writers;
}

function createWriter(name: string, read: FieldReader): HeaderWriter {
  return (headers, message) => {
    const value = read(message);
    if (value !== undefined) headers[name] = textToHeaderValue(value);
  };
}
