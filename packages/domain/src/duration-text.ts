import { counted } from "./counted.js";

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** A duration in words, in whole ones of the largest unit that it reaches: `30 days`, `1 hour`; below a second `0 seconds`. */
export function durationText(milliseconds: number): string {
  const [noun, length] = UNITS.find(([, each]) => milliseconds >= each) ?? (["second", 1000] as const);
  return counted(Math.floor(milliseconds / length), noun);
}
