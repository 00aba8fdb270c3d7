import type { DescField } from "@bufbuild/protobuf";
import type { FieldPath } from "./field-path.js";
import { isHeaderField } from "./header-fields.js";

/** The fields that the URL path binds. The value is undefined for a field bound as a whole; for a message field, it contains the fields in it. */
export type BoundFields = ReadonlyMap<DescField, BoundFields | undefined>;

export const NO_BOUND_FIELDS: BoundFields = new Map();

/** Returns the fields that a rule's path binds, as a tree. */
export function createBoundFields(paths: readonly FieldPath[]): BoundFields {
  const bound = new Map<DescField, BoundFields | undefined>();
  for (const [first] of paths) {
    const rests = paths.filter((path) => path[0] === first && path.length > 1).map((path) => path.slice(1));
    bound.set(first, rests.length === 0 ? undefined : createBoundFields(rests as unknown as readonly FieldPath[]));
  }
  return bound;
}

/** Whether the query or the body provides a field, at least in part. False if the path binds all of it, or if it is sent as a header. */
export function isUnbound(field: DescField, bound: BoundFields): boolean {
  return !isHeaderField(field) && (!bound.has(field) || bound.get(field) !== undefined);
}
