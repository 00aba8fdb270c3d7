import { compareCodePoints } from "./code-point-order.js";
import { quote } from "./quote.js";

/** The origin of a visit. Both fields are text that visitors control. */
export interface SourceMedium {
  /** For example `google`. */
  readonly source: string;
  /** For example `cpc`. */
  readonly medium: string;
}

/** Returns a unique key for a source. The length tells where the source ends and the medium begins. */
export function sourceKey({ source, medium }: SourceMedium): string {
  return `${source.length}:${source}${medium}`;
}

/** Orders by source, then by medium, by code points. */
export function compareSources(one: SourceMedium, other: SourceMedium): number {
  return compareCodePoints(one.source, other.source) || compareCodePoints(one.medium, other.medium);
}

/** Formats a source as human-readable text: `google / cpc`. `quote` escapes and shortens both parts, because visitors control them. */
export function sourceText({ source, medium }: SourceMedium): string {
  return `${quote(source).slice(1, -1)} / ${quote(medium).slice(1, -1)}`;
}
