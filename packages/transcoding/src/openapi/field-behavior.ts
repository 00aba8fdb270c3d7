import { type DescField, getOption, hasOption } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { FieldBehavior, field_behavior as fieldBehavior } from "../gen/google/api/field_behavior_pb.js";
import { createWeakCache } from "../values/weak-cache.js";

/** Whether a field is `REQUIRED` (AIP-203) or `required` (proto2). Requests must contain such a field, and it has a value in every response. */
export function isRequiredField(field: DescField): boolean {
  return field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED || hasFieldBehavior(field, FieldBehavior.REQUIRED);
}

/** Whether a field's option `google.api.field_behavior` (AIP-203) contains this behavior, such as `OUTPUT_ONLY`. */
export function hasFieldBehavior(field: DescField, behavior: FieldBehavior): boolean {
  return behaviorsOf(field).includes(behavior);
}

// Checks for the option first and caches the result, because `getOption` creates messages even for a field without the option.
const behaviorsOf = createWeakCache((field: DescField): readonly FieldBehavior[] =>
  hasOption(field, fieldBehavior) ? getOption(field, fieldBehavior) : [],
);
