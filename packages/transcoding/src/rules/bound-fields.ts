import type { DescField } from "@bufbuild/protobuf";
import type { FieldPath } from "./field-path.js";
import { isHeaderField } from "./header-fields.js";

/** The fields of a message that the path binds. A field bound as a whole has undefined; a message field has its bound fields. */
export type BoundFields = ReadonlyMap<DescField, BoundFields | undefined>;

/** The tree of a message without bound fields. */
export const NOTHING_BOUND: BoundFields = new Map();

/** Returns the tree of the fields that a rule's path binds. */
export function createBoundFields(paths: readonly FieldPath[]): BoundFields {
  const bound = new Map<DescField, BoundFields | undefined>();
  for (const [first] of paths) {
    const rests = paths.filter((path) => path[0] === first && path.length > 1).map((path) => path.slice(1));
    bound.set(first, rests.length === 0 ? undefined : createBoundFields(rests as unknown as readonly FieldPath[]));
  }
  return bound;
}

/** Whether the query or the body provides a field, or some field of its message: not the path, and not a header. */
export function isUnbound(field: DescField, bound: BoundFields): boolean {
  return !isHeaderField(field) && (!bound.has(field) || bound.get(field) !== undefined);
}
