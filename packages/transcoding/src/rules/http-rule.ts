import { type DescField, type DescMethod, type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import { http as httpOption } from "../gen/google/api/annotations_pb.js";
import type { HttpRule as HttpRuleOption } from "../gen/google/api/http_pb.js";
import { type HttpResponse, http as httpResponseOption } from "../gen/transcoding/v1/http_pb.js";
import { type PathTemplate, printPathShape } from "../routing/path-template.js";
import type { FieldPath } from "./field-path.js";
import { findHeaderProblems } from "./header-fields.js";
import { readBinding } from "./http-binding.js";
import { checkHttpResponse } from "./http-response-option.js";
import { findQueryProblems } from "./query-fields.js";
import { HttpRuleError, printRpc, RuleProblems } from "./rule-problems.js";

export type { FieldPath } from "./field-path.js";

/** What the request body is bound to. */
export type BodyBinding =
  | { readonly kind: "none" }
  /** `body: "*"`: the whole message but for the fields that the path binds. */
  | { readonly kind: "message" }
  /** `body: "field"`: one field, of any kind. */
  | { readonly kind: "field"; readonly field: DescField };

/** One `google.api.http` binding of an RPC, checked and resolved against its messages. */
export interface HttpRule {
  readonly rpc: DescMethod;
  /** The HTTP method in upper case; `*` for any. */
  readonly method: string;
  readonly template: PathTemplate;
  /** The fields that the template's variables bind, in the template's order. */
  readonly pathFields: readonly FieldPath[];
  readonly body: BodyBinding;
  /** The response field that is the body, or undefined for the whole message. */
  readonly responseBody: DescField | undefined;
  /** The method's `transcoding.v1.http` option, or undefined where it has none. */
  readonly response: HttpResponse | undefined;
}

/**
 * Reads the HTTP rules of services: one for each `google.api.http` option and each of its `additional_bindings`, in the
 * order of the protos. RPCs without the option have none. `selector` is not read: it is for service configurations.
 *
 * Every rule can be served: its template parses, its fields exist, are of a kind that can be bound there, and each has one
 * source; no two rules have the same method and shape; an RPC with a rule takes one request; what `transcoding.v1.http`
 * says can be taken from the response.
 *
 * @throws HttpRuleError that names every problem of every RPC
 */
export function readHttpRules(services: Iterable<DescService>): HttpRule[] {
  const problems: string[] = [];
  const rules: HttpRule[] = [];
  for (const service of services) {
    for (const rpc of service.methods) rules.push(...readRpc(rpc, new RuleProblems(rpc, problems)));
  }
  problems.push(...findConflicts(rules));
  if (problems.length > 0) throw new HttpRuleError(problems);
  return rules;
}

function readRpc(rpc: DescMethod, problems: RuleProblems): HttpRule[] {
  const response = hasOption(rpc, httpResponseOption) ? getOption(rpc, httpResponseOption) : undefined;
  if (!hasOption(rpc, httpOption)) {
    if (response !== undefined) problems.add("transcoding.v1.http says nothing without google.api.http; add a rule");
    return [];
  }
  if (rpc.methodKind === "client_streaming" || rpc.methodKind === "bidi_streaming") {
    problems.add("an RPC with a stream of requests can have no HTTP rule; remove the rule or the stream");
    return [];
  }
  const rules = listBindings(getOption(rpc, httpOption), problems)
    .map((option) => readBinding(rpc, option, response, problems))
    .filter((rule) => rule !== undefined);
  for (const problem of rules.flatMap(findQueryProblems)) problems.add(problem);
  for (const problem of new Set(rules.flatMap(listHeaderProblems))) problems.add(problem);
  if (response !== undefined) checkHttpResponse(rpc, response, rules, problems);
  return rules;
}

function listHeaderProblems({ rpc, pathFields, body, responseBody }: HttpRule): readonly string[] {
  const bound = pathFields.flatMap(([first]) => first);
  return [
    ...findHeaderProblems(rpc.input, body.kind === "field" ? [...bound, body.field] : bound),
    ...findHeaderProblems(rpc.output, responseBody === undefined ? [] : [responseBody]),
  ];
}

function listBindings(option: HttpRuleOption, problems: RuleProblems): HttpRuleOption[] {
  if (option.additionalBindings.some((binding) => binding.additionalBindings.length > 0)) {
    problems.add("additional_bindings cannot have additional_bindings of their own; list them all in the outer rule");
  }
  return [option, ...option.additionalBindings];
}

function findConflicts(rules: readonly HttpRule[]): string[] {
  const firsts = new Map<string, HttpRule>();
  const conflicts: string[] = [];
  for (const rule of rules) {
    const key = `${rule.method} ${printPathShape(rule.template)}`;
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, rule);
    else conflicts.push(`${printRpc(first.rpc)} and ${printRpc(rule.rpc)}: both are ${key}; change one of the paths`);
  }
  return conflicts;
}
