import { type DescField, getOption } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { FieldBehavior, field_behavior as fieldBehavior } from "../gen/google/api/field_behavior_pb.js";

/**
 * Whether a field is `REQUIRED` (AIP-203), or `required` in proto2: a request must contain it, and in a response it always has
 * a value.
 */
export function isRequired(field: DescField): boolean {
  return (
    field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED ||
    getOption(field, fieldBehavior).includes(FieldBehavior.REQUIRED)
  );
}

/** Whether a field is `OUTPUT_ONLY` (AIP-203): a request may contain it, but the server ignores it. */
export function isOutputOnly(field: DescField): boolean {
  return getOption(field, fieldBehavior).includes(FieldBehavior.OUTPUT_ONLY);
}

/** Whether a field is `INPUT_ONLY` (AIP-203): no response has it. */
export function isInputOnly(field: DescField): boolean {
  return getOption(field, fieldBehavior).includes(FieldBehavior.INPUT_ONLY);
}
