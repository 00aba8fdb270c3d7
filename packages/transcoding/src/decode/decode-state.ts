import { createTooManyValuesError, MAX_VALUES } from "../http/body-errors.js";
import type { FieldViolation } from "../http/request-error.js";
import type { JsonKind, JsonReader } from "./json-reader.js";

const MAX_VIOLATIONS = 100;
const MAX_SEGMENT_LENGTH = 100;

/** The description of the violation for a field that occurs twice. */
export const DUPLICATE = "is given twice";

export const CONTAINS_NUL = "must not contain a NUL character";

/** One part of the path of a value: a field name, a list index, or a map key from `formatMapKeySegment`. */
export type PathSegment = string | number;

/** The state of reading one request: the current position and the violations found so far. */
export class DecodeState {
  readonly violations: FieldViolation[] = [];
  /** The path from the request message to the current value: field names, map keys in brackets, and list indices. */
  readonly path: PathSegment[] = [];
  /** Whether the URL path had no violation. If false, the body is not compared with the values in the path. */
  pathValid = true;
  #values = 0;

  /**
   * @param refuseNull whether a JSON null is a violation instead of an absent field.
   * @param refuseNul whether a NUL in a string is a violation.
   * @param updateExample an example body for the error messages of update methods; undefined for other methods.
   */
  constructor(
    readonly refuseNull: boolean,
    readonly refuseNul: boolean,
    readonly updateExample?: string,
  ) {}

  /** Whether the maximum number of violations is reached. Further ones are dropped, which limits the size of the response. */
  get isFull(): boolean {
    return this.violations.length >= MAX_VIOLATIONS;
  }

  /** Counts an object member or list item in the body. Throws a `RequestError` if there are more than `MAX_VALUES`. */
  countValue(): void {
    if (++this.#values > MAX_VALUES) throw createTooManyValuesError(formatViolationPath(this.path.slice(0, 1)));
  }

  /** Records a violation at the current path. */
  violate(description: string): undefined {
    if (!this.isFull) {
      this.violations.push({ field: formatViolationPath(this.path), description });
    }
  }

  /** Skips a value of the wrong type and records the violation. `expected` is the start of its description, such as `must be an integer`. */
  rejectValue(reader: JsonReader, expected: string, hint = ""): undefined {
    const kind = reader.kind();
    // Skipped first, so that malformed JSON is reported as malformed and not as a violation.
    reader.skipValue();
    this.violate(`${expected}, not ${KIND_NAMES[kind]}${hint}`);
  }

  /** Reads a null that means an absent field. Records a violation if `refuseNull` is true. */
  readNull(reader: JsonReader): void {
    reader.readNull();
    if (this.refuseNull) {
      this.violate("must not be null: omit the field to keep its value");
    }
  }

  /** Returns the text, or undefined after recording a violation if it contains a NUL that is not allowed. */
  checkText(text: string): string | undefined {
    return this.refuseNul && text.includes("\0") ? this.violate(CONTAINS_NUL) : text;
  }
}

export function formatMapKeySegment(key: string): string {
  return `["${key}"]`;
}

/** Formats the path of a violation, such as `book.labels["color"]`. Map keys are cut to 100 characters. */
export function formatViolationPath(path: readonly PathSegment[]): string {
  let joined = "";
  for (const segment of path) {
    joined += typeof segment === "number" ? `[${segment}]` : joinSegment(joined, shorten(segment));
  }
  return joined;
}

function joinSegment(joined: string, segment: string): string {
  return joined === "" || segment.startsWith("[") ? segment : `.${segment}`;
}

/** Cuts a long key that the client chose, and quotes a key that is empty or only white space. */
function shorten(segment: string): string {
  if (!/\S/.test(segment)) return JSON.stringify(segment.slice(0, MAX_SEGMENT_LENGTH));
  return segment.length > MAX_SEGMENT_LENGTH ? `${segment.slice(0, MAX_SEGMENT_LENGTH).toWellFormed()}…` : segment;
}

const KIND_NAMES: Readonly<Record<JsonKind, string>> = {
  object: "an object",
  array: "an array",
  string: "a string",
  number: "a number",
  boolean: "a boolean",
  null: "null",
};
