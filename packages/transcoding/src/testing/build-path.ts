import { decodeSegment, decodeSegments, encodeSegment } from "../routing/path-escape.js";
import type { PathTemplate, TemplateSegment, TemplateVariable } from "../routing/path-template.js";

/**
 * Builds the path of a template from the values of its variables, in their order. The template matches the path, and
 * `readPathValues` returns the values.
 *
 * Returns undefined if no such path exists:
 *
 * - for a value that does not match the pattern of its variable, such as an empty one for `{a}`
 * - for a wildcard outside variables
 * - for a segment `.` or `..`, which clients resolve even if it is encoded.
 *
 * @throws URIError for an unpaired surrogate in a value
 */
export function buildPath({ segments, variables, verb }: PathTemplate, values: readonly string[]): string | undefined {
  const parts: (string | undefined)[] = [];
  let index = 0;
  for (const [position, variable] of variables.entries()) {
    parts.push(...segments.slice(index, variable.start).map(literalText));
    parts.push(...fitValue(segments.slice(variable.start, variable.end), variable, values[position] ?? ""));
    index = variable.end;
  }
  parts.push(...segments.slice(index).map(literalText));
  if (parts.some((part) => part === undefined || part === "." || part === "..")) return undefined;
  return `/${parts.join("/")}${verb === undefined ? "" : `:${verb}`}`;
}

function literalText(segment: TemplateSegment): string | undefined {
  return segment.kind === "literal" ? segment.value : undefined;
}

/** Encodes the segments of a value; an undefined segment does not match the pattern. */
function fitValue(pattern: readonly TemplateSegment[], variable: TemplateVariable, value: string) {
  if (!variable.multi) return [fitSegment(pattern[0], value, decodeSegment)];
  const multi = pattern.findIndex((segment) => segment.kind === "multi");
  const parts = pattern.length === 1 && value === "" ? [] : value.split("/");
  const shift = parts.length - pattern.length;
  if (multi < 0 ? shift !== 0 : shift < -1) return [undefined];
  return parts.map((part, index) => {
    const position = multi < 0 || index < multi ? index : Math.max(multi, index - shift);
    return fitSegment(pattern[position], part, decodeSegments);
  });
}

function fitSegment(segment: TemplateSegment | undefined, value: string, decode: (text: string) => string) {
  if (segment?.kind === "literal") return decode(segment.value) === value ? segment.value : undefined;
  return segment?.kind === "single" && value === "" ? undefined : encodeSegment(value);
}
