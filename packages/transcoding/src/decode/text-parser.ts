/** Parses the values of one type from plain text: a path segment, a query parameter, a map key, a JSON string. */
export interface TextParser {
  /** Returns the value as protobuf-es stores it, or undefined for invalid text. */
  readonly parse: (text: string) => unknown;
  /** The violation of invalid text: `must be true or false`. */
  readonly expected: string;
}
