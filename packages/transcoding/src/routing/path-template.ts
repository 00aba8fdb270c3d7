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
  /** The verb after the last colon, in the normal form of a literal, or undefined. */
  readonly verb: string | undefined;
  /** The variables in the order of their appearance. */
  readonly variables: readonly TemplateVariable[];
}

/** A path template that breaks the grammar. The message shows the template and says what to do. */
export class PathTemplateError extends Error {
  override readonly name = "PathTemplateError";
  readonly template: string;
  /** The character that has to change, counted from 1. */
  readonly column: number;

  constructor(template: string, column: number, advice: string) {
    super(`path template "${template}", column ${column}: ${advice}`);
    this.template = template;
    this.column = column;
  }
}

/**
 * Prints a path template. Parsing it again gives an equal template; the text it was parsed from may have spelt the same
 * one otherwise, with `{a=*}` for `{a}` or with needless escapes.
 */
export function printPathTemplate({ segments, variables, verb }: PathTemplate): string {
  const parts: string[] = [];
  let index = 0;
  for (const variable of variables) {
    parts.push(...segments.slice(index, variable.start).map(printSegment), printVariable(variable, segments));
    index = variable.end;
  }
  parts.push(...segments.slice(index).map(printSegment));
  return `/${parts.join("/")}${verb === undefined ? "" : `:${verb}`}`;
}

/**
 * Prints what decides which paths a template matches: the template without its variables, such as `/v1/shelves/*:move`.
 * Of two templates with one shape, a path could never lead to the second.
 */
export function printPathShape(template: PathTemplate): string {
  return printPathTemplate({ ...template, variables: [] });
}

function printVariable({ fieldPath, start, end }: TemplateVariable, segments: readonly TemplateSegment[]): string {
  const pattern = segments.slice(start, end).map(printSegment).join("/");
  return pattern === "*" ? `{${fieldPath}}` : `{${fieldPath}=${pattern}}`;
}

function printSegment(segment: TemplateSegment): string {
  switch (segment.kind) {
    case "literal":
      return segment.value;
    case "single":
      return "*";
    case "multi":
      return "**";
  }
}
