/** One member of a header such as `Accept` or `Accept-Encoding`. */
export interface WeightedValue {
  /** In lower case, without parameters. */
  readonly value: string;
  /** From 0, not acceptable, to 1. */
  readonly quality: number;
}

const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Reads a list of values with weights (RFC 9110 section 12.4.2). Parameters other than `q` are skipped; a malformed weight
 * counts as 0, for a client that asks in a way it did not mean is best served without the feature.
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
