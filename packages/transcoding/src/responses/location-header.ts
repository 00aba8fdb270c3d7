import type { FieldReader } from "../encode/field-reader.js";
import { parsePathTemplate } from "../routing/parse-path-template.js";
import { encodeSegment } from "../routing/path-escape.js";
import type { PathTemplate, TemplateSegment } from "../routing/path-template.js";

/**
 * Creates the reader of a Location (RFC 9110 section 10.2.2): `basePath` and a path template, filled from the fields of a
 * message. It returns undefined if one of the fields is unset or empty. Throws an Error if the template is malformed, or has a
 * wildcard outside of its variables.
 *
 * @param createReader creates the reader of the field at a path.
 */
export function createLocationReader(
  location: string,
  basePath: string,
  createReader: (path: string) => FieldReader,
): FieldReader {
  const template = parsePathTemplate(location);
  const parts = createParts(template, location, createReader);
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

function createParts(
  { segments, variables }: PathTemplate,
  location: string,
  readField: (path: string) => FieldReader,
): readonly FieldReader[] {
  const parts: FieldReader[] = [];
  let index = 0;
  for (const { fieldPath, start, end, multi } of variables) {
    const read = readField(fieldPath);
    const encode = multi ? encodeSegments : encodeSegment;
    parts.push(...segments.slice(index, start).map((segment) => literalPart(segment, location)), (message) => {
      const value = read(message);
      return value === undefined ? undefined : encode(value);
    });
    index = end;
  }
  return [...parts, ...segments.slice(index).map((segment) => literalPart(segment, location))];
}

function literalPart(segment: TemplateSegment, location: string): FieldReader {
  if (segment.kind !== "literal") throw new Error(`location "${location}": a wildcard needs a variable around it`);
  const { value } = segment;
  return () => value;
}
