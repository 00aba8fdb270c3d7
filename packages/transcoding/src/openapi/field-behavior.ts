import { type DescField, getOption } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { FieldBehavior, field_behavior as fieldBehavior } from "../gen/google/api/field_behavior_pb.js";

/**
 * Whether a field is `REQUIRED` (AIP-203): a request must give it, and in a response it always has a value. So is a field
 * that a proto2 message requires.
 */
export function isRequired(field: DescField): boolean {
  return (
    field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED ||
    getOption(field, fieldBehavior).includes(FieldBehavior.REQUIRED)
  );
}

/** Whether a field is `OUTPUT_ONLY` (AIP-203): a request may hold it, and it changes nothing. */
export function isOutputOnly(field: DescField): boolean {
  return getOption(field, fieldBehavior).includes(FieldBehavior.OUTPUT_ONLY);
}

/** Whether a field is `INPUT_ONLY` (AIP-203): no response has it. */
export function isInputOnly(field: DescField): boolean {
  return getOption(field, fieldBehavior).includes(FieldBehavior.INPUT_ONLY);
}
