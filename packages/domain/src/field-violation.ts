/** One thing that is wrong with a request, as in `google.rpc.BadRequest`. */
export interface FieldViolation {
  /** The field's name in the proto file, such as `area_code`. */
  readonly field: string;
  /** What is wrong and what to do, to be read after the field's name: `must be between 1 and 10000`. */
  readonly description: string;
}
