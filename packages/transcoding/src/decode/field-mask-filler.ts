import { create, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { type BoundFields, createBoundFields, isUnbound, NO_BOUND_FIELDS } from "../rules/bound-fields.js";
import { findNamedField } from "../rules/field-path.js";
import type { HttpRule } from "../rules/http-rule.js";
import { findWellKnownJson } from "../rules/well-known-json.js";
import { createGetter, createSetter, isObject, type LocalMessage } from "../values/local-message.js";

/**
 * Creates the function that fills an unset field mask with the fields in a valid JSON body. Returns undefined unless the rule is a `PATCH`
 * whose request has exactly one FieldMask and one resource. The resource is the message field that is the body. If the whole request is the
 * body, the resource is its only message field.
 *
 * Mask paths consist of proto names, relative to the resource (AIP-134). A path continues into a message that has members, and ends at any
 * other value. Null fields are included, so that they are cleared; fields that the URL path binds are not.
 */
export function createFieldMaskFiller(rule: HttpRule) {
  const mask = findMaskField(rule);
  const resource = findResourceField(rule);
  if (mask === undefined || resource === undefined) return undefined;
  const get = createGetter(mask);
  const set = createSetter(mask);
  const { message: desc } = resource;
  const bound = createBoundFields(rule.pathFields).get(resource) ?? NO_BOUND_FIELDS;
  return (json: string, message: LocalMessage): void => {
    if (get(message) !== undefined) return;
    const body: unknown = JSON.parse(json);
    const value = rule.body.kind === "field" ? body : findMember(body, resource);
    set(message, create(FieldMaskSchema, { paths: listPaths(value, desc, bound, "") }));
  };
}

function findMaskField({ method, body, rpc }: HttpRule): DescField | undefined {
  const masks = rpc.input.fields.filter(
    (field) => field.fieldKind === "message" && field.message.typeName === "google.protobuf.FieldMask",
  );
  const [mask] = masks;
  return method === "PATCH" && body.kind !== "none" && masks.length === 1 ? mask : undefined;
}

function findResourceField({ body, rpc }: HttpRule) {
  const candidates = (body.kind === "field" ? [body.field] : rpc.input.fields).filter(isPlain);
  return candidates.length === 1 ? candidates[0] : undefined;
}

function findMember(object: unknown, field: DescField): unknown {
  if (!isObject(object)) return undefined;
  return Object.entries(object).find(([key]) => findNamedField(field.parent, key) === field)?.[1];
}

function isPlain(field: DescField): field is DescField & { fieldKind: "message" } {
  return field.fieldKind === "message" && findWellKnownJson(field.message) === undefined;
}

/** Lists the mask paths for the members of an object that are fields of `desc`. */
function listPaths(value: unknown, desc: DescMessage, bound: BoundFields, prefix: string): string[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const field = findNamedField(desc, key);
    if (field === undefined || !isUnbound(field, bound)) return [];
    const path = `${prefix}${field.name}`;
    if (!isPlain(field)) return [path];
    const within = listPaths(member, field.message, bound.get(field) ?? NO_BOUND_FIELDS, `${path}.`);
    return within.length === 0 ? [path] : within;
  });
}
