import { pluralize } from "./pluralize.js";

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/**
 * Formats a duration in the largest unit that fits into the duration, rounded down: `30 days`, `1 hour`. A duration of less than a second is `0
 * seconds`.
 */
export function formatCoarseDuration(milliseconds: number): string {
  const [noun, length] = UNITS.find(([, each]) => milliseconds >= each) ?? (["second", 1000] as const);
  return pluralize(Math.floor(milliseconds / length), noun);
}
