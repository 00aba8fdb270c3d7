import { type DescMethod, type DescService, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { type HttpRule as HttpRuleOption, HttpSchema } from "../gen/google/api/http_pb.js";
import { printRpc } from "./rule-problems.js";

/**
 * Reads the `http` section of a service configuration (`google.api.Http`) in its JSON form. Its rules replace the annotations in
 * the protos. The last rule of a selector wins
 * (google/api/http.proto). Selectors that name no RPC of the services are added to `problems`.
 *
 * @throws Error for any other JSON value.
 */
export function readConfigRules(
  section: JsonObject | undefined,
  services: readonly DescService[],
  problems: string[],
): ReadonlyMap<DescMethod, HttpRuleOption> {
  const rules = new Map<DescMethod, HttpRuleOption>();
  if (section === undefined) return rules;
  const methods = new Map(services.flatMap(({ methods }) => methods.map((rpc) => [printRpc(rpc), rpc])));
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
