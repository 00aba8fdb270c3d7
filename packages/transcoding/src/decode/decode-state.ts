import { createTooManyValuesError, MAX_MESSAGE_VALUES } from "../http/body-errors.js";
import type { FieldViolation } from "../http/request-error.js";
import type { JsonReader, JsonValueKind } from "./json-reader.js";

const MAX_VIOLATIONS = 100;
const MAX_SEGMENT_LENGTH = 100;

/** The description of the violation for a field that a request contains twice. */
export const DUPLICATE_VIOLATION = "is given twice";

export const NUL_VIOLATION = "must not contain a NUL character";

/** One part of the path of a value in a request: a field's name, a list index, or a map key from `formatMapKeySegment`. */
export type ViolationPathSegment = string | number;

/** The state while one request is read: the path of the current value, and the violations found so far. */
export class DecodeState {
  readonly violations: FieldViolation[] = [];
  /** The path from the request message to the current value. */
  readonly path: ViolationPathSegment[] = [];
  /** Whether all values in the URL path are valid. If false, the body is not compared with these values. */
  pathValid = true;
  #values = 0;
  #repeatedValues = 0;

  /**
   * @param refuseNull whether a JSON null is a violation. If false, null means that the field is absent.
   * @param refuseNul whether a NUL character in a string is a violation.
   * @param updateExample an example body for error messages, if the method updates a resource; otherwise undefined.
   */
  constructor(
    readonly refuseNull: boolean,
    readonly refuseNul: boolean,
    readonly updateExample?: string,
  ) {}

  /** Whether the maximum number of violations is reached. Further violations are dropped, which limits the size of the response. */
  get isFull(): boolean {
    return this.violations.length >= MAX_VIOLATIONS;
  }

  /**
   * Counts one object member or list item in the body. Throws a `RequestError` if the body has more than `MAX_MESSAGE_VALUES` of them, or if more of
   * them are read repeatedly, which takes as long.
   */
  countValue(isRepeated: boolean): void {
    const count = isRepeated ? ++this.#repeatedValues : ++this.#values;
    if (count > MAX_MESSAGE_VALUES) throw createTooManyValuesError(formatViolationPath(this.path.slice(0, 1)));
  }

  /** Records a violation at the current path. Returns undefined, so that decoders can return the result. */
  violate(description: string): undefined {
    if (!this.isFull) {
      this.violations.push({ field: formatViolationPath(this.path), description });
    }
  }

  /**
   * Skips a value of the wrong JSON type and records a violation. The description of the violation begins with `expected`, such as `must be an
   * integer`.
   */
  rejectValue(reader: JsonReader, expected: string, hint = ""): undefined {
    const kind = reader.kind();
    // Skips the value first, so that malformed JSON is reported as malformed and not as a violation.
    reader.skipValue();
    this.violate(`${expected}, not ${KIND_NAMES[kind]}${hint}`);
  }

  /** Reads a null that means that a field is absent. Records a violation if `refuseNull` is true. */
  readNull(reader: JsonReader): void {
    reader.readNull();
    if (this.refuseNull) {
      this.violate("must not be null: omit the field to keep its value");
    }
  }

  /** Returns a text unchanged. If it contains a NUL character and `refuseNul` is true, records a violation and returns undefined. */
  checkText(text: string): string | undefined {
    return this.refuseNul && text.includes("\0") ? this.violate(NUL_VIOLATION) : text;
  }
}

export function formatMapKeySegment(key: string): string {
  return `["${key}"]`;
}

/** Formats the path in a violation, such as `book.labels["color"]`. Cuts map keys and unknown names to 100 characters. */
export function formatViolationPath(path: readonly ViolationPathSegment[]): string {
  let joined = "";
  for (const segment of path) {
    joined += typeof segment === "number" ? `[${segment}]` : joinSegment(joined, shorten(segment));
  }
  return joined;
}

function joinSegment(joined: string, segment: string): string {
  return joined === "" || segment.startsWith("[") ? segment : `.${segment}`;
}

/** Truncates a long part of a path, because clients choose map keys. Quotes a part that is empty or only white space. */
function shorten(segment: string): string {
  if (!/\S/.test(segment)) return JSON.stringify(segment.slice(0, MAX_SEGMENT_LENGTH));
  return segment.length > MAX_SEGMENT_LENGTH ? `${segment.slice(0, MAX_SEGMENT_LENGTH).toWellFormed()}…` : segment;
}

const KIND_NAMES: Readonly<Record<JsonValueKind, string>> = {
  object: "an object",
  array: "an array",
  string: "a string",
  number: "a number",
  boolean: "a boolean",
  null: "null",
};
