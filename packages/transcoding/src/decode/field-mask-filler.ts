import { create, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { type BoundFields, createBoundFields, isUnboundField, NO_BOUND_FIELDS } from "../rules/bound-fields.js";
import { findFieldByAnyName } from "../rules/field-path.js";
import type { HttpRule } from "../rules/http-rule.js";
import { findWellKnownJsonKind } from "../rules/well-known-json.js";
import {
  createMessageFieldGetter,
  createMessageFieldSetter,
  isObject,
  type UntypedMessage,
} from "../values/untyped-message.js";

/**
 * Creates the function that sets an unset field mask to the fields that a valid JSON body contains. Returns undefined unless the rule is a `PATCH`
 * whose request has exactly one FieldMask and one resource. The resource is the message field that is the body. With `body: "*"`, the resource is the
 * only other message field of the request.
 *
 * The paths in the mask consist of proto names, and are relative to the resource (AIP-134). For a message with members, the mask has a path for each
 * member; for any other value, it has one path. Includes null fields, so that they are cleared. Excludes fields that the URL path binds.
 */
export function createFieldMaskFiller(rule: HttpRule) {
  const mask = findMaskField(rule);
  const resource = findResourceField(rule);
  if (mask === undefined || resource === undefined) return undefined;
  const get = createMessageFieldGetter(mask);
  const set = createMessageFieldSetter(mask);
  const { message: desc } = resource;
  const bound = createBoundFields(rule.pathFields).get(resource) ?? NO_BOUND_FIELDS;
  return (json: string, message: UntypedMessage): void => {
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
  return Object.entries(object).find(([key]) => findFieldByAnyName(field.parent, key) === field)?.[1];
}

function isPlain(field: DescField): field is DescField & { fieldKind: "message" } {
  return field.fieldKind === "message" && findWellKnownJsonKind(field.message) === undefined;
}

/** Lists the mask paths for those members of an object that are fields of `desc`. */
function listPaths(value: unknown, desc: DescMessage, bound: BoundFields, prefix: string): string[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const field = findFieldByAnyName(desc, key);
    if (field === undefined || !isUnboundField(field, bound)) return [];
    const path = `${prefix}${field.name}`;
    if (!isPlain(field)) return [path];
    const within = listPaths(member, field.message, bound.get(field) ?? NO_BOUND_FIELDS, `${path}.`);
    return within.length === 0 ? [path] : within;
  });
}
