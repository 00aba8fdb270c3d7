import { create, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { type BoundFields, createBoundFields, isUnbound, NOTHING_BOUND } from "../rules/bound-fields.js";
import { findNamedField } from "../rules/field-path.js";
import type { HttpRule } from "../rules/http-rule.js";
import { findWellKnownJson } from "../rules/well-known-json.js";
import { createGetter, createSetter, type LocalMessage } from "../values/local-message.js";
import { JsonReader } from "./json-reader.js";

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
  const { message: desc, parent } = resource;
  const bound = createBoundFields(rule.pathFields).get(resource) ?? NOTHING_BOUND;
  return (json: string, message: LocalMessage): void => {
    if (get(message) !== undefined) return;
    const paths: string[] = [];
    const reader = new JsonReader(json);
    if (rule.body.kind === "field" || moveTo(resource, parent, reader)) collectPaths(reader, desc, bound, "", paths);
    set(message, create(FieldMaskSchema, { paths }));
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

/** Moves a reader to the value of a field. Returns false if the object has none. */
function moveTo(field: DescField, desc: DescMessage, reader: JsonReader): boolean {
  if (reader.kind() !== "object") return false;
  reader.open();
  for (let key = reader.nextKey(true); key !== undefined; key = reader.nextKey(false)) {
    if (findNamedField(desc, key) === field) return true;
    reader.skipValue();
  }
  return false;
}

function isPlain(field: DescField): field is DescField & { fieldKind: "message" } {
  return field.fieldKind === "message" && findWellKnownJson(field.message) === undefined;
}

/** Adds the paths of an object's members that are fields of `desc`. */
function collectPaths(
  reader: JsonReader,
  desc: DescMessage,
  bound: BoundFields,
  prefix: string,
  paths: string[],
): void {
  if (reader.kind() !== "object") {
    reader.skipValue();
    return;
  }
  reader.open();
  for (let key = reader.nextKey(true); key !== undefined; key = reader.nextKey(false)) {
    const field = findNamedField(desc, key);
    if (field === undefined || !isUnbound(field, bound)) {
      reader.skipValue();
      continue;
    }
    const path = `${prefix}${field.name}`;
    const before = paths.length;
    if (isPlain(field)) collectPaths(reader, field.message, bound.get(field) ?? NOTHING_BOUND, `${path}.`, paths);
    else reader.skipValue();
    if (paths.length === before) paths.push(path);
  }
}
