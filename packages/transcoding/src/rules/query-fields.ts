import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { type FieldPath, printFieldPath } from "./field-path.js";
import { isHeaderField } from "./header-fields.js";
import type { HttpRule } from "./http-rule.js";
import { findWellKnownJson } from "./well-known-json.js";

/**
 * The fields that a rule binds to query parameters, each the path of a parameter of its own, in the order of the proto:
 * scalars, enums, lists of either, and the well-known types that are one text in JSON. Those of nested messages are listed
 * one by one. Left out are the fields that the path or the body binds, and those that travel as headers; with `body: "*"` there
 * are none (google/api/http.proto, "Rules for HTTP mapping").
 */
export function queryFields(rule: HttpRule): readonly FieldPath[] {
  return classifyQuery(rule).fields;
}

/**
 * Says which fields would have to be query parameters and cannot: repeated messages, maps, messages within themselves, and
 * well-known types that are objects or arrays in JSON. Empty when there are none.
 */
export function findQueryProblems(rule: HttpRule): readonly string[] {
  return classifyQuery(rule).problems;
}

interface QueryFields {
  readonly fields: FieldPath[];
  readonly problems: string[];
}

function classifyQuery(rule: HttpRule): QueryFields {
  const result: QueryFields = { fields: [], problems: [] };
  if (rule.body.kind === "message") return result;
  const bound = new Set(rule.pathFields.map(printFieldPath));
  if (rule.body.kind === "field") bound.add(rule.body.field.name);
  classifyMessage(rule.rpc.input, [], bound, result);
  return result;
}

function classifyMessage(
  message: DescMessage,
  parents: readonly DescField[],
  bound: ReadonlySet<string>,
  result: QueryFields,
): void {
  for (const field of message.fields) {
    const path: FieldPath = parents[0] === undefined ? [field] : [parents[0], ...parents.slice(1), field];
    if (bound.has(printFieldPath(path)) || isHeaderField(field)) continue;
    const problem = findProblem(field, [message, ...parents.map((parent) => parent.parent)]);
    if (problem !== undefined) {
      result.problems.push(
        `"${printFieldPath(path)}" is ${problem}, which no query parameter can hold; bind it by "body"`,
      );
    } else if (field.fieldKind === "message" && findWellKnownJson(field.message) === undefined) {
      classifyMessage(field.message, path, bound, result);
    } else {
      result.fields.push(path);
    }
  }
}

function findProblem(field: DescField, ancestors: readonly DescMessage[]): string | undefined {
  if (field.fieldKind === "map") return "a map";
  if (field.fieldKind === "list") return field.listKind === "message" ? "a repeated message" : undefined;
  if (field.fieldKind !== "message") return undefined;
  if (findWellKnownJson(field.message) === "structure") return `a ${field.message.typeName}`;
  return ancestors.includes(field.message) ? "a message within itself" : undefined;
}
