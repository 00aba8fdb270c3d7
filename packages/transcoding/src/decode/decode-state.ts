import { createTooManyValuesError, MAX_VALUES } from "../http/body-errors.js";
import type { FieldViolation } from "../http/request-error.js";
import type { JsonKind, JsonReader } from "./json-reader.js";

const MAX_VIOLATIONS = 100;
const MAX_SEGMENT_LENGTH = 100;

/** The violation of a duplicate field. */
export const DUPLICATE = "is given twice";

/** The violation of a string that contains a NUL character although NUL is not allowed. */
export const CONTAINS_NUL = "must not contain a NUL character";

/** The state of reading one request: the current position and the violations found so far. */
export class DecodeState {
  readonly violations: FieldViolation[] = [];
  /** The path from the request message to the current value: field names, map keys in brackets, and list indices. */
  readonly path: (string | number)[] = [];
  /** Whether the path had no violation, so that the body can be compared with its values. */
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

  /** Whether the limit of violations is reached. Further ones are dropped to bound the size of the response. */
  get isFull(): boolean {
    return this.violations.length >= MAX_VIOLATIONS;
  }

  /** Counts a member or item of the body. Throws a `RequestError` if there are too many. */
  countValue(): void {
    if (++this.#values > MAX_VALUES) throw createTooManyValuesError(joinPath(this.path.slice(0, 1)));
  }

  /** Records a violation of the current value. */
  violate(description: string): undefined {
    if (!this.isFull) {
      this.violations.push({ field: joinPath(this.path), description });
    }
  }

  /** Skips a value of a wrong type and records the violation. `expected` says what is required: `must be an integer`. */
  rejectValue(reader: JsonReader, expected: string, hint = ""): undefined {
    const kind = reader.kind();
    // Skipped first: malformed JSON is reported as such, and not as a violation.
    reader.skipValue();
    this.violate(`${expected}, not ${KIND_NAMES[kind]}${hint}`);
  }

  /** Reads a null that stands for an absent field. */
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

/** Formats a map key as a segment of `DecodeState.path`. */
export function formatMapKeySegment(key: string): string {
  return `["${key}"]`;
}

function joinPath(path: readonly (string | number)[]): string {
  let joined = "";
  for (const segment of path) {
    joined += typeof segment === "number" ? `[${segment}]` : joinSegment(joined, shorten(segment));
  }
  return joined;
}

function joinSegment(joined: string, segment: string): string {
  return joined === "" || segment.startsWith("[") ? segment : `.${segment}`;
}

/** Bounds the length of a key that the client chose, and quotes one that is only white space. */
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
