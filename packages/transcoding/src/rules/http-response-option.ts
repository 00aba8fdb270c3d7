import type { DescMethod } from "@bufbuild/protobuf";
import { Code } from "../gen/google/rpc/code_pb.js";
import type { HttpResponse, Link } from "../gen/transcoding/v1/http_pb.js";
import { parsePathTemplate } from "../routing/parse-path-template.js";
import { formatPathTemplate } from "../routing/path-template.js";
import { requirePrimitiveField } from "./field-path.js";
import { isToken } from "./header-fields.js";
import { type HttpRule, streamsResponses } from "./http-rule.js";
import { findQueryField } from "./query-fields.js";
import type { RuleProblems } from "./rule-problems.js";

/** Checks an option against the RPC and its rules, according to transcoding/v1/http.proto. Adds every error to `problems`. */
export function checkHttpResponse(
  rpc: DescMethod,
  option: HttpResponse,
  rules: readonly HttpRule[],
  problems: RuleProblems,
): void {
  const { status, headers, links, failures, eventStream } = option;
  const locations = listLocations(option);
  if (status !== 0 && (status < 200 || status > 299)) {
    problems.add(`status ${status} is not a success status; write one from 200 to 299`);
  }
  for (const { code, reason, status } of failures) {
    if (code === Code.OK)
      problems.add(
        `failure "${reason}" has no error code; write one such as NOT_FOUND, or import the file that declares it as shared`,
      );
    if (status !== 0 && (status < 400 || status > 599)) {
      problems.add(
        `failure "${reason}" has the status ${status}, which is not an error status; write one from 400 to 599`,
      );
    }
  }
  if (eventStream !== undefined && !streamsResponses(rpc)) {
    problems.add("event_stream is only for methods that return a stream; remove it");
  }
  for (const field of [eventStream?.id, eventStream?.name]) {
    if (field) problems.attempt(() => requirePrimitiveField(rpc.output, field));
  }
  if (streamsResponses(rpc) && (locations.length > 0 || headers.length > 0 || links.length > 0)) {
    problems.add("a stream cannot have a location, headers or links; remove them");
    return;
  }
  for (const each of locations) checkLocation(rpc, each, problems);
  for (const { name, field } of headers) {
    if (!isToken(name)) problems.add(`header "${name}" is not a valid header name`);
    problems.attempt(() => requirePrimitiveField(rpc.output, field));
  }
  for (const link of links) checkLink(rpc, link, rules, problems);
}

/** Returns the templates of the Location header, in the order in which they are tried. Empty if responses have no such header. */
export function listLocations(option: HttpResponse | undefined): readonly string[] {
  return [option?.location ?? "", option?.fallbackLocation ?? ""].filter((location) => location !== "");
}

function checkLocation(rpc: DescMethod, location: string, problems: RuleProblems): void {
  const template = problems.attempt(() => parsePathTemplate(location));
  if (template === undefined) return;
  const { segments, variables } = template;
  for (const { fieldPath } of variables) problems.attempt(() => requirePrimitiveField(rpc.output, fieldPath));
  const isBound = (index: number) => variables.some(({ start, end }) => start <= index && index < end);
  if (segments.some((segment, index) => segment.kind !== "literal" && !isBound(index))) {
    problems.add(`location "${location}" has a wildcard outside a variable; write {field=*}`);
  }
}

function checkLink(rpc: DescMethod, link: Link, rules: readonly HttpRule[], problems: RuleProblems): void {
  if (!isToken(link.rel)) problems.add(`link relation "${link.rel}" is not a relation type; write one such as "next"`);
  problems.attempt(() => requirePrimitiveField(rpc.output, link.field));
  for (const rule of rules) {
    if (findQueryField(rule, link.parameter.split(".")) === undefined) {
      const path = `${rule.method} ${formatPathTemplate(rule.template)}`;
      problems.add(`link parameter "${link.parameter}" is not a query parameter of ${path}; name one that is`);
    }
  }
}
