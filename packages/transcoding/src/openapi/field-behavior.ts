import { type DescField, getOption, hasOption } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { FieldBehavior, field_behavior as fieldBehavior } from "../gen/google/api/field_behavior_pb.js";
import { createWeakCache } from "../values/weak-cache.js";

/** Whether a field is `REQUIRED` (AIP-203), or `required` in proto2: a request must contain it, and in a response it always has a value. */
export function isRequired(field: DescField): boolean {
  return field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED || hasBehavior(field, FieldBehavior.REQUIRED);
}

/** Whether a field has a behavior of AIP-203: servers ignore an `OUTPUT_ONLY` field in requests, and responses have no `INPUT_ONLY` field. */
export function hasBehavior(field: DescField, behavior: FieldBehavior): boolean {
  return behaviorsOf(field).includes(behavior);
}

// getOption creates messages, even for a field without the option.
const behaviorsOf = createWeakCache((field: DescField): readonly FieldBehavior[] =>
  hasOption(field, fieldBehavior) ? getOption(field, fieldBehavior) : [],
);
