import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { formatPathTemplate } from "../routing/path-template.js";
import { joinNames } from "../values/join-names.js";
import { type BoundFields, createBoundFields, isUnboundField, NO_BOUND_FIELDS } from "./bound-fields.js";
import { type FieldPath, findFieldByAnyName, formatFieldPath } from "./field-path.js";
import type { HttpRule } from "./http-rule.js";
import { findQueryBinding, type QueryBinding } from "./query-binding.js";

/**
 * Lists the paths of all fields that a rule binds to query parameters, in the order of the proto. Includes each field of a nested message. Lists the
 * fields of a recursive message up to the first recursion, although parameters work at any depth.
 *
 * Excludes the fields that the URL path or the body binds, and fields that are sent as headers. The list is empty for a rule with `body: "*"`, which
 * binds all fields (google/api/http.proto, "Rules for HTTP mapping").
 */
export function listQueryFields(rule: HttpRule): readonly FieldPath[] {
  const isNew = (message: DescMessage, path: FieldPath) => path.every(({ parent }) => parent !== message);
  return listFields(rule, isNew).flatMap(({ path, use }) => (use.kind === "none" ? [] : [path]));
}

/** Finds the field that a query parameter sets. Each of `names` is a proto name or a JSON name. Returns undefined for an unknown parameter. */
export function findQueryField(rule: HttpRule, names: readonly string[]): FieldPath | undefined {
  if (rule.body.kind === "message") return undefined;
  const path: DescField[] = [];
  let message: DescMessage | undefined = rule.rpc.input;
  let bound = findNonQueryFields(rule);
  for (const name of names) {
    const field: DescField | undefined = message && findFieldByAnyName(message, name);
    const use: QueryBinding | undefined = field && isUnboundField(field, bound) ? findQueryBinding(field) : undefined;
    if (field === undefined || use === undefined || use.kind === "none") return undefined;
    path.push(field);
    message = use.kind === "message" ? use.message : undefined;
    bound = bound.get(field) ?? NO_BOUND_FIELDS;
  }
  return message === undefined ? (path as unknown as FieldPath) : undefined;
}

/** Returns the request fields that a rule's path or body binds. The rule must not have `body: "*"`, which binds all fields. */
function findNonQueryFields({ pathFields, body }: HttpRule): BoundFields {
  const bound = new Map(createBoundFields(pathFields));
  if (body.kind === "field") bound.set(body.field, undefined);
  return bound;
}

/**
 * Returns one problem that names all fields that neither path nor body bind and that cannot be query parameters. Returns an empty list if there are
 * no such fields.
 */
export function findQueryProblems(rule: HttpRule): readonly string[] {
  // Visits a type only once, because it has the same problems wherever it is used, unless the path binds some of its fields.
  const seen = new Set([rule.rpc.input]);
  const isNew = (message: DescMessage, _: FieldPath, within: BoundFields) =>
    within.size > 0 || (!seen.has(message) && seen.add(message) !== undefined);
  const unbindable = listFields(rule, isNew).flatMap(({ path, use }) =>
    use.kind === "none" ? `"${formatFieldPath(path)}" (${use.reason})` : [],
  );
  if (unbindable.length === 0) return [];
  const binding = `${rule.method} ${formatPathTemplate(rule.template)}`;
  const advice = `bind ${unbindable.length === 1 ? "it" : "them"} with "body"`;
  return [`${binding}: query parameters cannot hold ${joinNames(unbindable)}; ${advice}`];
}

/**
 * Decides whether to list the fields of `message`, the type of the field at `path`. `within` contains the fields of `message` that the path or body
 * binds.
 */
type MessageFilter = (message: DescMessage, path: FieldPath, within: BoundFields) => boolean;

/** Lists the request fields that neither path nor body bind, whether or not query parameters can provide them. */
function listFields(rule: HttpRule, enters: MessageFilter) {
  const fields: { path: FieldPath; use: QueryBinding }[] = [];
  const addFields = (message: DescMessage, parents: readonly DescField[], bound: BoundFields) => {
    for (const field of message.fields.filter((each) => isUnboundField(each, bound))) {
      const use = findQueryBinding(field);
      const path = [...parents, field] as unknown as FieldPath;
      const within = bound.get(field) ?? NO_BOUND_FIELDS;
      if (use.kind !== "message") fields.push({ path, use });
      else if (enters(use.message, path, within)) addFields(use.message, path, within);
    }
  };
  if (rule.body.kind !== "message") addFields(rule.rpc.input, [], findNonQueryFields(rule));
  return fields;
}
