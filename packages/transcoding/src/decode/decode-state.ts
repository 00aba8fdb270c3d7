import type { FieldViolation } from "../http/request-error.js";
import type { JsonKind, JsonReader } from "./json-reader.js";

const MAX_VIOLATIONS = 100;
const MAX_SEGMENT_LENGTH = 100;

/** What a field is told that came a second time. */
export const GIVEN_TWICE = "is given twice";

/** What a string is told that holds a NUL where none may be. */
export const NO_NUL = "must not contain a NUL character";

/** What is carried through the reading of one request: where it is, and what was found wrong. */
export class DecodeState {
  readonly violations: FieldViolation[] = [];
  /** The way from the request message to the current value: field names, map keys in brackets, and list indices. */
  readonly path: (string | number)[] = [];
  /** Whether a JSON null is a violation instead of an absent field. */
  readonly refuseNull: boolean;
  /** Whether a NUL in a string is a violation. */
  readonly refuseNul: boolean;
  /** A body that changes something, undefined for a method that does not. */
  readonly updateExample: string | undefined;
  /** Whether the path had no violation, so that a body can be compared with it. */
  pathValid = true;

  constructor(refuseNull: boolean, refuseNul: boolean, updateExample?: string) {
    this.refuseNull = refuseNull;
    this.refuseNul = refuseNul;
    this.updateExample = updateExample;
  }

  /** Whether no more violations are noted: an answer has its bounds. */
  get isFull(): boolean {
    return this.violations.length >= MAX_VIOLATIONS;
  }

  /** Notes a violation of the current value. */
  violate(description: string): undefined {
    if (!this.isFull) {
      this.violations.push({ field: joinPath(this.path), description });
    }
  }

  /** Skips a value of a wrong type, which `expected` says what it should have been: `must be an integer`. */
  refuseValue(reader: JsonReader, expected: string, hint = ""): undefined {
    const kind = reader.kind();
    // First, because what is no JSON at all is malformed and nothing else.
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

  /** Returns a text, or undefined after a violation where it holds a NUL that it must not. */
  checkText(text: string): string | undefined {
    return this.refuseNul && text.includes("\0") ? this.violate(NO_NUL) : text;
  }
}

/** Returns the segment of a path that stands for a map entry. */
export function mapKeySegment(key: string): string {
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

/** A key that a client made up is shown, but not at any length, and in quotes where there would be nothing to see. */
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
