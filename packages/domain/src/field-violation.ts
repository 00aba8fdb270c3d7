/** An invalid field of a request, and what is wrong with it, as in `google.rpc.BadRequest`. */
export interface FieldViolation {
  /** The path of the field with the names in the proto, such as `area_code` or `calls[0].call_id`. */
  readonly field: string;
  /** The rest of a sentence that begins with the path: `must be between 1 and 10000`. */
  readonly description: string;
}
