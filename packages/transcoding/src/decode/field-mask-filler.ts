import { create, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { type BoundFields, createBoundFields, isUnbound, NOTHING_BOUND } from "../rules/bound-fields.js";
import { findNamedField } from "../rules/field-path.js";
import type { HttpRule } from "../rules/http-rule.js";
import { findWellKnownJson } from "../rules/well-known-json.js";
import { createGetter, createSetter, isObject, type LocalMessage } from "../values/local-message.js";

/**
 * Creates the function that fills an unset field mask with the fields that a valid JSON body contains. Returns undefined unless
 * the rule is a `PATCH`, with exactly one FieldMask and one resource: the message field that is the body, or the only message field
 * of a request that is the body.
 *
 * Mask paths consist of proto names, relative to the resource (AIP-134). A path ends at the first value that is not a non-empty
 * message object. Null fields are included, so that they are cleared; fields bound by the path are not.
 */
export function createFieldMaskFiller(rule: HttpRule) {
  const mask = findMaskField(rule);
  const resource = findResourceField(rule);
  if (mask === undefined || resource === undefined) return undefined;
  const get = createGetter(mask);
  const set = createSetter(mask);
  const { message: desc } = resource;
  const bound = createBoundFields(rule.pathFields).get(resource) ?? NOTHING_BOUND;
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

/** Finds the value of a field in an object. Returns undefined if there is none. */
function findMember(object: unknown, field: DescField): unknown {
  if (!isObject(object)) return undefined;
  return Object.entries(object).find(([key]) => findNamedField(field.parent, key) === field)?.[1];
}

function isPlain(field: DescField): field is DescField & { fieldKind: "message" } {
  return field.fieldKind === "message" && findWellKnownJson(field.message) === undefined;
}

/** Lists the paths of an object's members that are fields of `desc`. */
function listPaths(value: unknown, desc: DescMessage, bound: BoundFields, prefix: string): string[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const field = findNamedField(desc, key);
    if (field === undefined || !isUnbound(field, bound)) return [];
    const path = `${prefix}${field.name}`;
    if (!isPlain(field)) return [path];
    const within = listPaths(member, field.message, bound.get(field) ?? NOTHING_BOUND, `${path}.`);
    return within.length === 0 ? [path] : within;
  });
}
