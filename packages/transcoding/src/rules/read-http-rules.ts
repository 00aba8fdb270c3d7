import { type DescMethod, type DescService, fromJson, getOption, hasOption, type JsonObject } from "@bufbuild/protobuf";
import { http as httpOption } from "../gen/google/api/annotations_pb.js";
import { type HttpRule as HttpRuleOption, HttpSchema } from "../gen/google/api/http_pb.js";
import { formatPathShape } from "../routing/path-template.js";
import { isRawBody } from "../values/raw-body.js";
import { findHeaderProblems } from "./header-fields.js";
import { readBinding } from "./http-binding.js";
import { findHttpResponse } from "./http-response.js";
import { checkHttpResponse } from "./http-response-option.js";
import { findBodyMessage, type HttpRule, streamsRequests } from "./http-rule.js";
import { withPageHeaders } from "./page-headers.js";
import { findQueryProblems } from "./query-fields.js";
import { formatRpcName, HttpRuleError, RuleProblems } from "./rule-problems.js";

export interface RuleOptions {
  /**
   * HTTP rules outside the protos: the `http` section of a service configuration (`google.api.Http`) as JSON, such as
   * `{"rules": [{"selector": "library.v1.LibraryService.GetBook", "get": "/v1/books/{id}"}]}`. They replace the annotations of
   * their methods. Default: none.
   */
  readonly rules?: JsonObject;
  /** Whether rules that cannot be served are an error (`refuse`), or are left out (`skip`). Default: `refuse`. */
  readonly unsupported?: "refuse" | "skip";
}

/** The HTTP rules of services, and the rules that were skipped. */
export interface ResolvedRules {
  readonly rules: readonly HttpRule[];
  /** The reasons why bindings, or fields in their queries, are not served. Each begins with the full names of the RPCs. */
  readonly skipped: readonly string[];
}

/**
 * Reads the HTTP rules of services: one for each `google.api.http` option and each of its `additional_bindings`, in the order of the protos. RPCs
 * without the option have none, unless `options.rules` has one for them.
 *
 * Every returned rule can be served. Its template is valid. Its fields exist, fit their positions, and have one source each. Its method and shape are
 * unique. Its RPC takes one request, or a stream of `google.api.HttpBody`. The response has the fields that `transcoding.v1.http` names.
 *
 * @throws HttpRuleError that names every problem of every RPC, unless `options.unsupported` is `skip`.
 */
export function readHttpRules(services: Iterable<DescService>, options: RuleOptions = {}): readonly HttpRule[] {
  return resolveHttpRules(services, options).rules;
}

/** Reads the HTTP rules of services like `readHttpRules`, and also returns the reasons for skipped rules. */
export function resolveHttpRules(services: Iterable<DescService>, options: RuleOptions = {}): ResolvedRules {
  const all = [...services];
  const problems: string[] = [];
  const config = readConfigRules(options.rules, all, problems);
  const read = all.flatMap(({ methods }) =>
    methods.flatMap((rpc) => readRpc(rpc, config.get(rpc), new RuleProblems(rpc, problems))),
  );
  const rules = dropConflicts(read, problems);
  const skipped = [...new Set(problems)];
  if (skipped.length > 0 && options.unsupported !== "skip") throw new HttpRuleError(skipped);
  return { rules, skipped };
}

/**
 * Reads the `http` section of a service configuration (`google.api.Http`) in its JSON form. Its rules replace the annotations in the protos, and the
 * last rule for a selector takes precedence (google/api/http.proto). Selectors that name no RPC of the services are added to `problems`.
 *
 * @throws Error for any other JSON value.
 */
function readConfigRules(
  section: JsonObject | undefined,
  services: readonly DescService[],
  problems: string[],
): ReadonlyMap<DescMethod, HttpRuleOption> {
  const rules = new Map<DescMethod, HttpRuleOption>();
  if (section === undefined) return rules;
  const methods = new Map(services.flatMap(({ methods }) => methods.map((rpc) => [formatRpcName(rpc), rpc])));
  for (const rule of parseSection(section)) {
    const rpc = methods.get(rule.selector);
    if (rpc !== undefined) rules.set(rpc, rule);
    else problems.push(`rules: selector "${rule.selector}" matches no RPC of the services; write its full name`);
  }
  return rules;
}

function parseSection(section: JsonObject): readonly HttpRuleOption[] {
  try {
    return fromJson(HttpSchema, section).rules;
  } catch (cause) {
    const example = '{"rules": [{"selector": "library.v1.Library.GetBook", "get": "/v1/books/{id}"}]}';
    throw new Error(`rules: give the http section of a service configuration, as in ${example}`, { cause });
  }
}

/** Reads the rules of an RPC that can be served. */
function readRpc(rpc: DescMethod, configured: HttpRuleOption | undefined, problems: RuleProblems): HttpRule[] {
  const declared = findHttpResponse(rpc);
  const option = configured ?? (hasOption(rpc, httpOption) ? getOption(rpc, httpOption) : undefined);
  if (option === undefined) {
    if (declared !== undefined) problems.add("transcoding.v1.http has no effect without google.api.http; add a rule");
    return [];
  }
  const isBareList = option.pattern.case === "get" && option.responseBody !== "";
  const response = isBareList ? withPageHeaders(rpc, declared) : declared;
  const rules = listBindings(option, problems)
    .map((option) => readBinding(rpc, option, response, problems))
    .filter((rule) => rule !== undefined && takesStream(rule, problems)) as HttpRule[];
  for (const problem of rules.flatMap(findQueryProblems)) problems.add(problem);
  const { count } = problems;
  for (const problem of rules.flatMap(listHeaderProblems)) problems.add(problem);
  if (response !== undefined) checkHttpResponse(rpc, response, rules, problems);
  return problems.count === count ? rules : [];
}

/** Whether a rule can be served: it has no request stream, or the messages of the stream are the chunks of the body (`google.api.HttpBody`). */
function takesStream(rule: HttpRule, problems: RuleProblems): boolean {
  if (!streamsRequests(rule.rpc) || isRawBody(findBodyMessage(rule))) return true;
  problems.add(
    "an RPC with a stream of requests can have an HTTP rule only if its body is a google.api.HttpBody; remove the rule or the stream",
  );
  return false;
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

/** Keeps the first of several rules with the same method and shape. */
function dropConflicts(rules: readonly HttpRule[], problems: string[]): readonly HttpRule[] {
  const firsts = new Map<string, HttpRule>();
  for (const rule of rules) {
    const key = `${rule.method} ${formatPathShape(rule.template)}`;
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, rule);
    else
      problems.push(
        `${formatRpcName(first.rpc)} and ${formatRpcName(rule.rpc)}: both are ${key}; change one of the paths`,
      );
  }
  return [...firsts.values()];
}
