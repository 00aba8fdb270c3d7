import { encodeSegment } from "../routing/path-escape.js";
import type { PathTemplate, TemplateSegment } from "../routing/path-template.js";

/**
 * Builds a path that matches a template, from the values of the template's variables in the order of the variables. All wildcards of the template
 * must be in variables, and the values must match the variables.
 *
 * @throws URIError for an unpaired surrogate in a value
 */
export function buildPath({ segments, variables, verb }: PathTemplate, values: readonly string[]): string {
  const parts: string[] = [];
  let index = 0;
  for (const [position, { start, end, multi }] of variables.entries()) {
    const value = values[position] ?? "";
    parts.push(...segments.slice(index, start).map(literalText));
    parts.push(...encodeParts(segments.slice(start, end), multi ? value.split("/") : [value]));
    index = end;
  }
  parts.push(...segments.slice(index).map(literalText));
  return `/${parts.join("/")}${verb === undefined ? "" : `:${verb}`}`;
}

function literalText(segment: TemplateSegment | undefined): string {
  return segment?.kind === "literal" ? segment.value : "";
}

/** Encodes the segments of a value. Literals of the pattern keep their spelling. */
function encodeParts(pattern: readonly TemplateSegment[], parts: readonly string[]): readonly string[] {
  const multi = pattern.findIndex((segment) => segment.kind === "multi");
  if (multi >= 0 && pattern.length === 1 && parts.join("/") === "") return [];
  const shift = parts.length - pattern.length;
  return parts.map((part, index) => {
    const segment = pattern[multi < 0 || index < multi ? index : Math.max(multi, index - shift)];
    return segment?.kind === "literal" ? segment.value : encodeSegment(part);
  });
}
