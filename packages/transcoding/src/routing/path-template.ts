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

/**
 * Prints a path template in its shortest form. Parsing the result gives an equal template. The original text may have been
 * different, with `{a=*}` for `{a}` or with needless escapes.
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
 * Prints the shape of a template: the template without its variables, such as `/v1/shelves/*:move`. Templates with the same
 * shape match the same paths, so only one of them could ever be reached.
 */
export function printPathShape(template: PathTemplate): string {
  return printPathTemplate({ ...template, variables: [] });
}

function printVariable({ fieldPath, start, end }: TemplateVariable, segments: readonly TemplateSegment[]): string {
  const pattern = segments.slice(start, end).map(printSegment).join("/");
  return pattern === "*" ? `{${fieldPath}}` : `{${fieldPath}=${pattern}}`;
}

function printSegment(segment: TemplateSegment): string {
  if (segment.kind === "literal") return segment.value;
  return segment.kind === "single" ? "*" : "**";
}
