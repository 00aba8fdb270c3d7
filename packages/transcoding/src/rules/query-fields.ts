import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { printPathTemplate } from "../routing/path-template.js";
import { type BoundFields, createBoundFields, isUnbound, NOTHING_BOUND } from "./bound-fields.js";
import { type FieldPath, printFieldPath } from "./field-path.js";
import type { HttpRule } from "./http-rule.js";
import { findQueryUse } from "./query-use.js";

/**
 * Lists the fields that a rule binds to query parameters, as paths, in the order of the proto. Fields of nested messages are
 * listed individually. A recursive message is listed up to its first recursion, although parameters work at any depth.
 *
 * Excludes the fields that the path or the body binds, and those that travel as headers. With `body: "*"` the list is empty
 * (google/api/http.proto, "Rules for HTTP mapping").
 */
export function listQueryFields(rule: HttpRule): readonly FieldPath[] {
  const fields: FieldPath[] = [];
  if (rule.body.kind !== "message") listFields(rule.rpc.input, [], findNonQueryFields(rule), fields);
  return fields;
}

/** Returns the fields of a rule's request that the path or the body binds. With `body: "*"`, these are all fields. */
export function findNonQueryFields({ pathFields, body }: HttpRule): BoundFields {
  const bound = new Map(createBoundFields(pathFields));
  if (body.kind === "field") bound.set(body.field, undefined);
  return bound;
}

/** Describes, in one line, the fields that would have to be query parameters but cannot be. Empty if there are none. */
export function findQueryProblems(rule: HttpRule): readonly string[] {
  if (rule.body.kind === "message") return [];
  const unbindable: string[] = [];
  listUnbindable(rule.rpc.input, [], findNonQueryFields(rule), new Set(), unbindable);
  if (unbindable.length === 0) return [];
  const binding = `${rule.method} ${printPathTemplate(rule.template)}`;
  const advice = `bind ${unbindable.length === 1 ? "it" : "them"} by "body"`;
  return [`${binding}: query parameters cannot hold ${joinNames(unbindable)}; ${advice}`];
}

function listFields(
  message: DescMessage,
  parents: readonly DescField[],
  bound: BoundFields,
  fields: FieldPath[],
): void {
  const ancestors = [message, ...parents.map((parent) => parent.parent)];
  for (const { field, within, path } of unboundFields(message, parents, bound)) {
    const use = findQueryUse(field);
    if (use.kind === "message") {
      if (!ancestors.includes(use.message)) listFields(use.message, path, within, fields);
    } else if (use.kind !== "none") {
      fields.push(path);
    }
  }
}

/** @param seen the message types, without path-bound fields, that were visited already; their result is the same everywhere. */
function listUnbindable(
  message: DescMessage,
  parents: readonly DescField[],
  bound: BoundFields,
  seen: Set<DescMessage>,
  unbindable: string[],
): void {
  if (bound.size === 0) {
    if (seen.has(message)) return;
    seen.add(message);
  }
  for (const { field, within, path } of unboundFields(message, parents, bound)) {
    const use = findQueryUse(field);
    if (use.kind === "message") listUnbindable(use.message, path, within, seen, unbindable);
    else if (use.kind === "none") unbindable.push(`"${printFieldPath(path)}" (${use.reason})`);
  }
}

interface UnboundField {
  readonly field: DescField;
  /** The fields of the message that the path binds. */
  readonly within: BoundFields;
  readonly path: FieldPath;
}

function unboundFields(
  message: DescMessage,
  parents: readonly DescField[],
  bound: BoundFields,
): readonly UnboundField[] {
  return message.fields
    .filter((field) => isUnbound(field, bound))
    .map((field) => {
      const path = [...parents, field] as unknown as FieldPath;
      return { field, within: bound.get(field) ?? NOTHING_BOUND, path };
    });
}

/** Joins names, and cuts a long list. */
function joinNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES);
  const rest = names.length > MAX_NAMES ? `${names.length - MAX_NAMES} more` : shown.pop();
  return [shown.join(", "), rest].filter(Boolean).join(" and ");
}

const MAX_NAMES = 5;
