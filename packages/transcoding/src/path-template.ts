/** One segment of a path template. A literal's value is in normal form: unreserved characters decoded. */
export type TemplateSegment =
  | { readonly kind: "literal"; readonly value: string }
  | { readonly kind: "single" }
  | { readonly kind: "multi" };

/** A variable of a path template, bound to the segments from `start` up to but not including `end`. */
export interface TemplateVariable {
  /** The dotted path of proto field names, such as `book.name`. */
  readonly fieldPath: string;
  readonly start: number;
  readonly end: number;
  /** Whether it can span more than one segment, which decides how it is decoded. */
  readonly multi: boolean;
}

/** A parsed path template of `google.api.http`. */
export interface PathTemplate {
  readonly segments: readonly TemplateSegment[];
  /** The verb after the last colon, or undefined. */
  readonly verb: string | undefined;
  /** The variables in the order of their appearance. */
  readonly variables: readonly TemplateVariable[];
}
