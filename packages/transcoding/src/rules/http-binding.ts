import type { DescField, DescMessage, DescMethod } from "@bufbuild/protobuf";
import type { HttpRule as HttpRuleOption } from "../gen/google/api/http_pb.js";
import type { HttpResponse } from "../gen/transcoding/v1/http_pb.js";
import { parsePathTemplate } from "../routing/parse-path-template.js";
import type { TemplateVariable } from "../routing/path-template.js";
import { type FieldPath, findFieldByProtoName, formatFieldPath, requirePrimitiveFieldPath } from "./field-path.js";
import { isHttpToken } from "./header-fields.js";
import type { BodyBinding, HttpRule } from "./http-rule.js";
import type { RuleProblems } from "./rule-problems.js";

/** Resolves one binding against its RPC's messages, without `additional_bindings`. If it is invalid, adds problems and returns undefined. */
export function readHttpBinding(
  rpc: DescMethod,
  option: HttpRuleOption,
  response: HttpResponse | undefined,
  problems: RuleProblems,
): HttpRule | undefined {
  const { count } = problems;
  const pattern = readPattern(option, problems);
  const template = pattern && problems.attempt(() => parsePathTemplate(pattern.path));
  const pathFields = readPathFields(rpc.input, template?.variables ?? [], problems);
  const body = readBody(rpc.input, option.body, pathFields, problems);
  const responseBody = option.responseBody
    ? readTopLevelField(rpc.output, "response_body", option.responseBody, problems)
    : undefined;
  if (!pattern || !template || !body || problems.count > count) return undefined;
  return { rpc, method: pattern.method, template, pathFields, body, responseBody, response };
}

function readPattern({ pattern }: HttpRuleOption, problems: RuleProblems) {
  if (pattern.case === undefined)
    return problems.add('the rule has no method and path; add them, such as get: "/v1/books"');
  if (pattern.case !== "custom") return { method: pattern.case.toUpperCase(), path: pattern.value };
  if (isHttpToken(pattern.value.kind)) return { method: pattern.value.kind.toUpperCase(), path: pattern.value.path };
  return problems.add(
    `the custom kind "${pattern.value.kind}" is not an HTTP method; write an HTTP method, or "*" for all methods`,
  );
}

function readPathFields(
  input: DescMessage,
  variables: readonly TemplateVariable[],
  problems: RuleProblems,
): readonly FieldPath[] {
  return variables
    .map(({ fieldPath }) => problems.attempt(() => requirePrimitiveFieldPath(input, fieldPath)))
    .filter((path) => path !== undefined);
}

function readBody(
  input: DescMessage,
  name: string,
  pathFields: readonly FieldPath[],
  problems: RuleProblems,
): BodyBinding | undefined {
  if (name === "") return { kind: "none" };
  if (name === "*") return { kind: "message" };
  const field = readTopLevelField(input, "body", name, problems);
  if (field === undefined) return undefined;
  if (pathFields.some((path) => formatFieldPath(path) === name)) {
    problems.add(`the body field "${name}" is already bound by the path; name another field`);
  }
  return { kind: "field", field };
}

function readTopLevelField(
  message: DescMessage,
  option: string,
  name: string,
  problems: RuleProblems,
): DescField | undefined {
  const field = findFieldByProtoName(message, name);
  if (field !== undefined) return field;
  const advice = name.includes(".") ? "it must be a top-level field" : `${message.typeName} has no such field`;
  return problems.add(`${option} "${name}": ${advice}`);
}
