/** One member of a header such as `Accept` or `Accept-Encoding`. */
export interface WeightedValue {
  /** The value in lower case, without parameters. */
  readonly value: string;
  /** The weight, from 0 (not acceptable) to 1. */
  readonly quality: number;
}

const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Parses a list of values with weights (RFC 9110 section 12.4.2). Ignores parameters other than `q`. A malformed weight counts
 * as 0, which safely turns the negotiated feature off.
 */
export function parseQualityValues(header: string): readonly WeightedValue[] {
  return header
    .toLowerCase()
    .split(",")
    .map(parseMember)
    .filter((member) => member.value !== "");
}

function parseMember(text: string): WeightedValue {
  const [value = "", ...parameters] = text.split(";").map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  return { value, quality: weight === undefined ? 1 : Number(QUALITY.exec(weight)?.[1] ?? 0) };
}
