import type { DescMethod } from "@bufbuild/protobuf";
import { Code } from "../gen/google/rpc/code_pb.js";
import type { HttpResponse, Link } from "../gen/transcoding/v1/http_pb.js";
import { parsePathTemplate } from "../routing/parse-path-template.js";
import { formatPathTemplate } from "../routing/path-template.js";
import { requirePrimitiveFieldPath } from "./field-path.js";
import { isHttpToken } from "./header-fields.js";
import { type HttpRule, streamsResponses } from "./http-rule.js";
import { findQueryField } from "./query-fields.js";
import type { RuleProblems } from "./rule-problems.js";

/** Checks the `transcoding.v1.http` option of an RPC against the RPC's messages and HTTP rules. Adds every error to `problems`. */
export function checkHttpResponseOption(
  rpc: DescMethod,
  option: HttpResponse,
  rules: readonly HttpRule[],
  problems: RuleProblems,
): void {
  const { status, headers, links, failures, eventStream } = option;
  const locations = listLocationTemplates(option);
  if (status !== 0 && (status < 200 || status > 299)) {
    problems.add(`status ${status} is not a success status; write a status from 200 to 299`);
  }
  for (const { code, reason, status } of failures) {
    if (code === Code.OK)
      problems.add(
        `failure "${reason}" has no error code; add a code such as NOT_FOUND, or import the file that declares the shared failure`,
      );
    if (status !== 0 && (status < 400 || status > 599)) {
      problems.add(
        `failure "${reason}" has the status ${status}, which is not an error status; write a status from 400 to 599`,
      );
    }
  }
  if (eventStream !== undefined && !streamsResponses(rpc)) {
    problems.add("event_stream is allowed only for methods that return a stream; remove it");
  }
  for (const field of [eventStream?.id, eventStream?.name]) {
    if (field) problems.attempt(() => requirePrimitiveFieldPath(rpc.output, field));
  }
  if (streamsResponses(rpc) && (locations.length > 0 || headers.length > 0 || links.length > 0)) {
    problems.add("a method that returns a stream cannot have a location, headers or links; remove them");
    return;
  }
  for (const each of locations) checkLocation(rpc, each, problems);
  for (const { name, field } of headers) {
    if (!isHttpToken(name)) problems.add(`header "${name}" is not a valid header name`);
    problems.attempt(() => requirePrimitiveFieldPath(rpc.output, field));
  }
  for (const link of links) checkLink(rpc, link, rules, problems);
}

/** Returns the path templates for the Location header, in the order in which to try them. Empty if the option declares no Location. */
export function listLocationTemplates(option: HttpResponse | undefined): readonly string[] {
  return [option?.location ?? "", option?.fallbackLocation ?? ""].filter((location) => location !== "");
}

function checkLocation(rpc: DescMethod, location: string, problems: RuleProblems): void {
  const template = problems.attempt(() => parsePathTemplate(location));
  if (template === undefined) return;
  const { segments, variables } = template;
  for (const { fieldPath } of variables) problems.attempt(() => requirePrimitiveFieldPath(rpc.output, fieldPath));
  const isBound = (index: number) => variables.some(({ start, end }) => start <= index && index < end);
  if (segments.some((segment, index) => segment.kind !== "literal" && !isBound(index))) {
    problems.add(
      `location "${location}" has a wildcard outside a variable; put the wildcard into a variable, as in {field=*}`,
    );
  }
}

function checkLink(rpc: DescMethod, link: Link, rules: readonly HttpRule[], problems: RuleProblems): void {
  if (!isHttpToken(link.rel))
    problems.add(`link relation "${link.rel}" is not a relation type; write a relation type such as "next"`);
  problems.attempt(() => requirePrimitiveFieldPath(rpc.output, link.field));
  for (const rule of rules) {
    if (findQueryField(rule, link.parameter.split(".")) === undefined) {
      const path = `${rule.method} ${formatPathTemplate(rule.template)}`;
      problems.add(`link parameter "${link.parameter}" is not a query parameter of ${path}; name a query parameter`);
    }
  }
}
