/** One segment of a path template. A literal's value is in normal form: unreserved characters are decoded. */
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
  /** The verb after the last colon, in the normal form of a literal; undefined for none. */
  readonly verb: string | undefined;
  /** The variables in the order of their appearance. */
  readonly variables: readonly TemplateVariable[];
}

/** Thrown for a path template that violates the grammar. The message shows the template and how to fix it. */
export class PathTemplateError extends Error {
  override readonly name = "PathTemplateError";

  /** @param column the position of the invalid character, counted from 1. */
  constructor(
    readonly template: string,
    readonly column: number,
    advice: string,
  ) {
    super(`path template "${template}", column ${column}: ${advice}`);
  }
}

/** Formats a template in its shortest form: with `{a}` for `{a=*}`, and without needless escapes. Parsing the result gives an equal template. */
export function formatPathTemplate({ segments, variables, verb }: PathTemplate): string {
  const parts: string[] = [];
  let index = 0;
  for (const variable of variables) {
    parts.push(...segments.slice(index, variable.start).map(printSegment), printVariable(variable, segments));
    index = variable.end;
  }
  parts.push(...segments.slice(index).map(printSegment));
  return `/${parts.join("/")}${verb === undefined ? "" : `:${verb}`}`;
}

/** Formats a template without its variables, as in `/v1/shelves/*:move`. Only one of several templates of the same shape is reachable. */
export function formatPathShape(template: PathTemplate): string {
  return formatPathTemplate({ ...template, variables: [] });
}

function printVariable({ fieldPath, start, end }: TemplateVariable, segments: readonly TemplateSegment[]): string {
  const pattern = segments.slice(start, end).map(printSegment).join("/");
  return pattern === "*" ? `{${fieldPath}}` : `{${fieldPath}=${pattern}}`;
}

function printSegment(segment: TemplateSegment): string {
  if (segment.kind === "literal") return segment.value;
  return segment.kind === "single" ? "*" : "**";
}
