import type { FieldReader } from "../encode/field-reader.js";
import { parsePathTemplate } from "../routing/parse-path-template.js";
import { encodeSegment } from "../routing/path-escape.js";
import type { PathTemplate } from "../routing/path-template.js";

/**
 * Creates the function that builds a Location header (RFC 9110 section 10.2.2) from a message: `basePath`, followed by the path template `location`
 * with values from the message's fields. It returns undefined if one of the fields is unset or empty. Throws an Error for a malformed template.
 *
 * @param createReader creates the reader for the field at a dotted path.
 */
export function createLocationReader(
  location: string,
  basePath: string,
  createReader: (path: string) => FieldReader,
): FieldReader {
  const template = parsePathTemplate(location);
  const parts = createParts(template, createReader);
  const verb = template.verb === undefined ? "" : `:${template.verb}`;
  return (message) => {
    let path = basePath;
    for (const part of parts) {
      const text = part(message);
      if (text === undefined) return undefined;
      path += `/${text}`;
    }
    return `${path || "/"}${verb}`;
  };
}

function encodeSegments(value: string): string {
  return value.split("/").map(encodeSegment).join("/");
}

/** Creates a reader for each literal and each variable of a template. The check of the rules guarantees that all wildcards are in variables. */
function createParts({ segments, variables }: PathTemplate, createReader: (path: string) => FieldReader) {
  return segments.flatMap((segment, index): FieldReader | [] => {
    const variable = variables.find(({ start, end }) => start <= index && index < end);
    if (variable === undefined) return segment.kind === "literal" ? () => segment.value : [];
    if (variable.start < index) return [];
    const read = createReader(variable.fieldPath);
    const encode = variable.multi ? encodeSegments : encodeSegment;
    return (message) => {
      const value = read(message);
      return value === undefined ? undefined : encode(value.toWellFormed());
    };
  });
}
