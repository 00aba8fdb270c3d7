import type { DescField } from "@bufbuild/protobuf";
import type { FieldPath } from "./field-path.js";
import { isHeaderField } from "./header-fields.js";

/** The fields that a URL path binds. The value is undefined for a completely bound field, and a map of fields for a message bound in part. */
export type BoundFields = ReadonlyMap<DescField, BoundFields | undefined>;

export const NO_BOUND_FIELDS: BoundFields = new Map();

/** Converts the field paths that a rule's URL path binds to a tree of fields. */
export function createBoundFields(paths: readonly FieldPath[]): BoundFields {
  const bound = new Map<DescField, BoundFields | undefined>();
  for (const [first] of paths) {
    const rests = paths.filter((path) => path[0] === first && path.length > 1).map((path) => path.slice(1));
    bound.set(first, rests.length === 0 ? undefined : createBoundFields(rests as unknown as readonly FieldPath[]));
  }
  return bound;
}

/** Whether the query or the body provides at least a part of a field. False if `bound` contains the whole field, or if the field is sent as a header. */
export function isUnboundField(field: DescField, bound: BoundFields): boolean {
  return !isHeaderField(field) && (!bound.has(field) || bound.get(field) !== undefined);
}
