import type { Message } from "@bufbuild/protobuf";
import type { EncodeOptions } from "../encode/encode-options.js";
import { createFieldReader } from "../encode/field-reader.js";
import type { MutableHeaders } from "../http/http-response.js";
import { appendHeader, textToHeaderValue } from "../http/response-headers.js";
import type { RequestTarget } from "../routing/request-target.js";
import { hasEtag, listResponseHeaders } from "../rules/header-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import { createLinkReader } from "./link-header.js";
import { createLocationReader } from "./location-header.js";

/** The status and headers of a rule's successful responses. */
export interface SuccessHead {
  readonly status: number;
  /** False for 204 and 205, which have no content (RFC 9110 sections 15.3.5 and 15.3.6). */
  readonly hasBody: boolean;
  /** See `hasEtag`. */
  readonly hasEtag: boolean;
  /** Adds the headers that the rule takes from the response message. */
  readonly addHeaders: (headers: MutableHeaders, message: Message, target: RequestTarget) => void;
}

type HeaderWriter = SuccessHead["addHeaders"];

/** Creates the success head of a rule from its `transcoding.v1.http` option. */
export function createSuccessHead(rule: HttpRule, basePath: string, options: EncodeOptions): SuccessHead {
  const status = rule.response?.status || 200;
  const writers = createHeaderWriters(rule, basePath, options);
  return {
    status,
    hasBody: status !== 204 && status !== 205,
    hasEtag: hasEtag(rule),
    addHeaders(headers, message, target) {
      for (const write of writers) write(headers, message, target);
    },
  };
}

function createHeaderWriters(rule: HttpRule, basePath: string, options: EncodeOptions): readonly HeaderWriter[] {
  const writers: HeaderWriter[] = [];
  for (const { name, field } of listResponseHeaders(rule)) {
    const read = createFieldReader(rule.rpc.output, field, options);
    writers.push((headers, message) => setHeader(headers, name.toLowerCase(), read(message)));
  }
  if (rule.response?.location) {
    const read = createLocationReader(rule.response.location, rule.rpc.output, basePath, options);
    writers.push((headers, message) => setHeader(headers, "location", read(message)));
  }
  for (const link of rule.response?.links ?? []) {
    const read = createLinkReader(link, rule.rpc, options);
    writers.push((headers, message, target) => {
      const value = read(message, target);
      if (value !== undefined) appendHeader(headers, "link", value);
    });
  }
  return writers;
}

function setHeader(headers: MutableHeaders, name: string, value: string | undefined): void {
  if (value !== undefined) headers[name] = textToHeaderValue(value);
}
