/** Reads the values of one type from plain text: a path segment, a query parameter, a map key, a JSON string. */
export interface TextParser {
  /** Returns the value as protobuf-es stores it, or undefined where the text stands for none. */
  readonly parse: (text: string) => unknown;
  /** What the text has to be, as a violation says it: `must be true or false`. */
  readonly expected: string;
}
