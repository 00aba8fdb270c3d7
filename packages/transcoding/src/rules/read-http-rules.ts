import { type DescMethod, type DescService, fromJson, getOption, hasOption, type JsonObject } from "@bufbuild/protobuf";
import { http as httpOption } from "../gen/google/api/annotations_pb.js";
import { type HttpRule as HttpRuleOption, HttpSchema } from "../gen/google/api/http_pb.js";
import { formatPathShape } from "../routing/path-template.js";
import { isRawBodyType } from "../values/raw-body.js";
import { checkHttpResponseOption } from "./check-http-response-option.js";
import { findHeaderProblems } from "./header-fields.js";
import { readHttpBinding } from "./http-binding.js";
import { findHttpResponseOption } from "./http-response-option.js";
import { findBodyMessageType, type HttpRule, streamsRequests } from "./http-rule.js";
import { addPageHeaders } from "./page-headers.js";
import { findQueryProblems } from "./query-fields.js";
import { formatRpcName, HttpRuleError, RuleProblems } from "./rule-problems.js";

export interface RuleOptions {
  /**
   * HTTP rules outside the protos: the `http` section of a service configuration (`google.api.Http`) as JSON, such as
   * `{"rules": [{"selector": "library.v1.LibraryService.GetBook", "get": "/v1/books/{id}"}]}`. A rule replaces the annotation of the method that it
   * selects. Default: none.
   */
  readonly rules?: JsonObject;
  /** Whether rules that cannot be served cause an error (`refuse`) or are skipped (`skip`). Default: `refuse`. */
  readonly unsupported?: "refuse" | "skip";
}

/** The HTTP rules of services, and the reasons why other rules were skipped. */
export interface ResolvedRules {
  readonly rules: readonly HttpRule[];
  /** Why bindings are not served, or are served without a query parameter. Each reason begins with the full names of the RPCs. */
  readonly skipped: readonly string[];
}

/**
 * Reads the HTTP rules of services: one rule for each `google.api.http` option, and one for each of its `additional_bindings`, in the order of the
 * protos. An RPC without the option has no rule, unless `options.rules` contains a rule for it.
 *
 * Every returned rule can be served. Its template is valid. The fields that it names exist, are of a suitable kind, and are each bound once. No other
 * rule has the same method and path shape. Its RPC has a single request message, or a stream of `google.api.HttpBody`. The fields that
 * `transcoding.v1.http` names exist in the response.
 *
 * @throws HttpRuleError that lists all problems of all RPCs, unless `options.unsupported` is `skip`.
 */
export function readHttpRules(services: Iterable<DescService>, options: RuleOptions = {}): readonly HttpRule[] {
  return resolveHttpRules(services, options).rules;
}

/** Reads the HTTP rules of services like `readHttpRules`, and also returns why rules were skipped. */
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
 * Reads the `http` section of a service configuration (`google.api.Http`) in JSON. Returns the rules, keyed by the RPC that they select. The last
 * rule for a selector takes precedence (google/api/http.proto). Adds a problem for each selector that names no RPC of the services.
 *
 * @throws Error for JSON that is not an `http` section.
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
    else
      problems.push(`rules: selector "${rule.selector}" matches no RPC of the services; write the full name of an RPC`);
  }
  return rules;
}

function parseSection(section: JsonObject): readonly HttpRuleOption[] {
  try {
    return fromJson(HttpSchema, section).rules;
  } catch (cause) {
    const example = '{"rules": [{"selector": "library.v1.Library.GetBook", "get": "/v1/books/{id}"}]}';
    throw new Error(`rules must be the http section of a service configuration, as in ${example}`, { cause });
  }
}

/** Returns the rules of an RPC that can be served. Adds the problems of all other rules to `problems`. */
function readRpc(rpc: DescMethod, configured: HttpRuleOption | undefined, problems: RuleProblems): HttpRule[] {
  const declared = findHttpResponseOption(rpc);
  const option = configured ?? (hasOption(rpc, httpOption) ? getOption(rpc, httpOption) : undefined);
  if (option === undefined) {
    if (declared !== undefined)
      problems.add("transcoding.v1.http has no effect without google.api.http; add a google.api.http rule");
    return [];
  }
  const isBareList = option.pattern.case === "get" && option.responseBody !== "";
  const response = isBareList ? addPageHeaders(rpc, declared) : declared;
  const rules = listBindings(option, problems)
    .map((option) => readHttpBinding(rpc, option, response, problems))
    .filter((rule) => rule !== undefined && takesStream(rule, problems)) as HttpRule[];
  for (const problem of rules.flatMap(findQueryProblems)) problems.add(problem);
  const { count } = problems;
  for (const problem of rules.flatMap(listHeaderProblems)) problems.add(problem);
  if (response !== undefined) checkHttpResponseOption(rpc, response, rules, problems);
  return problems.count === count ? rules : [];
}

/** Whether a rule's RPC has one request message, or a stream of `google.api.HttpBody` chunks. If not, adds a problem. */
function takesStream(rule: HttpRule, problems: RuleProblems): boolean {
  if (!streamsRequests(rule.rpc) || isRawBodyType(findBodyMessageType(rule))) return true;
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

/** Keeps only the first of several rules with the same method and path shape, and adds a problem for each of the others. */
function dropConflicts(rules: readonly HttpRule[], problems: string[]): readonly HttpRule[] {
  const firsts = new Map<string, HttpRule>();
  for (const rule of rules) {
    const key = `${rule.method} ${formatPathShape(rule.template)}`;
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, rule);
    else
      problems.push(
        `${formatRpcName(first.rpc)} and ${formatRpcName(rule.rpc)}: both have the method and path ${key}; change one of the paths`,
      );
  }
  return [...firsts.values()];
}
