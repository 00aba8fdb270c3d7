import { decodeSegment, decodeSegments, type PathDecoding } from "./path-escape.js";
import type { PathTemplate } from "./path-template.js";

/**
 * Reads the values of a template's variables, in their order, from the raw segments of a matching path. The value of a variable
 * that spans several segments contains the slashes between them. A `**` that matches no segment adds no slash.
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
