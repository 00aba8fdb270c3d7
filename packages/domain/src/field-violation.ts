/** An invalid field of a request, as in `google.rpc.BadRequest`. */
export interface FieldViolation {
  /** The field's name in the proto file, such as `area_code`. */
  readonly field: string;
  /** Completes a sentence that starts with the field's name: `must be between 1 and 10000`. */
  readonly description: string;
}
