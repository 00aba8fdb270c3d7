/** One segment of a path template: a literal, `*` (single) or `**` (multi). The unreserved characters of a literal are decoded. */
export type TemplateSegment =
  | { readonly kind: "literal"; readonly value: string }
  | { readonly kind: "single" }
  | { readonly kind: "multi" };

/** A variable of a path template. It consists of the segments from the index `start` up to, but not including, `end`. */
export interface TemplateVariable {
  /** The field that the variable sets: proto names separated by dots, such as `book.name`. */
  readonly fieldPath: string;
  readonly start: number;
  readonly end: number;
  /** Whether the variable can span several segments. Its value is then decoded by `decodeSegments`. */
  readonly multi: boolean;
}

/** A parsed path template of `google.api.http`. */
export interface PathTemplate {
  readonly segments: readonly TemplateSegment[];
  /** The verb after the last colon, with unreserved characters decoded; undefined if there is none. */
  readonly verb: string | undefined;
  /** The variables, in the order in which they appear in the template. */
  readonly variables: readonly TemplateVariable[];
}

/** Thrown for a path template that violates the grammar. The message shows the template, and says how to correct it. */
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

/** Formats a template in its shortest form: writes `{a}` for `{a=*}`, and no needless escapes. Parsing the text returns an equal template. */
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

/** Formats a template without its variables, as in `/v1/shelves/*:move`. Templates with the same shape match the same paths. */
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
