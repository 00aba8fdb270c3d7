const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Parses a header such as `Accept` or `Accept-Encoding`. Returns the weight of each value, from 0 (not acceptable) to 1 (RFC 9110 section 12.4.2).
 * The keys are the values in lower case, without parameters. A malformed weight counts as 0, so that the value is not used.
 */
export function parseQualityValues(header: string): ReadonlyMap<string, number> {
  const members = header.toLowerCase().split(",").map(parseMember);
  return new Map(members.filter(([value]) => value !== ""));
}

function parseMember(text: string): readonly [value: string, quality: number] {
  const [value = "", ...parameters] = text.split(";").map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  return [value, weight === undefined ? 1 : Number(QUALITY.exec(weight)?.[1] ?? 0)];
}
