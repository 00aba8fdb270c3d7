import { create, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { type BoundFields, createBoundFields, isUnbound, NOTHING_BOUND } from "../rules/bound-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import { findWellKnownJson } from "../rules/well-known-json.js";
import { createGetter, createSetter, type LocalMessage } from "../values/local-message.js";
import { JsonReader } from "./json-reader.js";

/** Fills an unset field mask with the fields that the body contains. The body is valid JSON. */
export type FieldMaskFiller = (body: string, message: LocalMessage) => void;

/**
 * Creates the filler of a rule. Returns undefined unless the rule is a `PATCH` with a body and exactly one FieldMask
 * outside the body (AIP-134).
 *
 * Mask paths consist of proto names, relative to the body's message. A path ends at the first value that is not a
 * non-empty message object. Null fields are included, so that they are cleared; fields bound by the path are not.
 */
export function createFieldMaskFiller(rule: HttpRule): FieldMaskFiller | undefined {
  const mask = findMaskField(rule);
  if (mask === undefined) {
    return undefined;
  }
  const get = createGetter(mask);
  const set = createSetter(mask);
  const tree = createTree(rule, mask);
  return (body, message) => {
    if (get(message) !== undefined) {
      return;
    }
    const paths: string[] = [];
    collectPaths(new JsonReader(body), tree, "", paths);
    set(message, create(FieldMaskSchema, { paths }));
  };
}

function findMaskField({ method, body, rpc }: HttpRule): DescField | undefined {
  const masks = rpc.input.fields.filter(
    (field) => field.fieldKind === "message" && field.message.typeName === "google.protobuf.FieldMask",
  );
  const [mask] = masks;
  const usable = method === "PATCH" && body.kind !== "none" && masks.length === 1;
  return usable && (body.kind !== "field" || (isPlain(body.field) && body.field !== mask)) ? mask : undefined;
}

/** The fields of a message by both their names. Message fields have the tree of their own fields in `within`. */
type MaskTree = Map<string, { readonly name: string; readonly within: MaskTree | undefined }>;

function createTree({ body, rpc, pathFields }: HttpRule, mask: DescField): MaskTree {
  const bound = createBoundFields(pathFields);
  if (body.kind === "field" && body.field.message !== undefined) {
    return createMessageTree(body.field.message, bound.get(body.field) ?? NOTHING_BOUND, new Map());
  }
  return createMessageTree(rpc.input, new Map([...bound, [mask, undefined]]), new Map());
}

function createMessageTree(desc: DescMessage, bound: BoundFields, known: Map<DescMessage, MaskTree>): MaskTree {
  const tree: MaskTree = new Map();
  if (bound.size === 0) {
    const shared = known.get(desc);
    if (shared !== undefined) return shared;
    // Registered before its fields, because a message type can contain itself.
    known.set(desc, tree);
  }
  for (const field of desc.fields.filter((each) => isUnbound(each, bound))) {
    const inner = bound.get(field) ?? NOTHING_BOUND;
    const within = isPlain(field) ? createMessageTree(field.message, inner, known) : undefined;
    const node = { name: field.name, within };
    tree.set(field.jsonName, node).set(field.name, node);
  }
  return tree;
}

function isPlain(field: DescField): field is DescField & { fieldKind: "message" } {
  return field.fieldKind === "message" && findWellKnownJson(field.message) === undefined;
}

function collectPaths(reader: JsonReader, tree: MaskTree, prefix: string, paths: string[]): void {
  if (reader.kind() !== "object") {
    reader.skipValue();
    return;
  }
  reader.openObject();
  for (let key = reader.nextKey(true); key !== undefined; key = reader.nextKey(false)) {
    const node = tree.get(key);
    if (node === undefined) {
      reader.skipValue();
      continue;
    }
    const path = `${prefix}${node.name}`;
    const before = paths.length;
    if (node.within === undefined) {
      reader.skipValue();
    } else {
      collectPaths(reader, node.within, `${path}.`, paths);
    }
    if (paths.length === before) {
      paths.push(path);
    }
  }
}
