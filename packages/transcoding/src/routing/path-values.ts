import { decodeSegment, decodeSegments, type PathDecoding } from "./path-escape.js";
import type { PathTemplate } from "./path-template.js";

/**
 * Reads the values of a template's variables, in their order, from the raw segments of a path that the template matches. A
 * variable that spans several segments has the slashes between them in its value; where a `**` matches none, there is
 * none for it either.
 */
export function readPathValues(
  { segments, variables }: PathTemplate,
  path: readonly string[],
  decoding: PathDecoding = {},
): string[] {
  if (variables.length === 0) return [];
  const multi = segments.findIndex((segment) => segment.kind === "multi");
  const shift = path.length - segments.length;
  return variables.map((variable) => {
    const start = variable.start > multi ? variable.start + shift : variable.start;
    if (!variable.multi) return decodeSegment(path[start] ?? "");
    const end = variable.end > multi ? variable.end + shift : variable.end;
    return decodeSegments(path.slice(start, end).join("/"), decoding);
  });
}
