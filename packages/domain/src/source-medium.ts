import { compareCodePoints } from "./code-point-order.js";
import { quote } from "./quote.js";

/** The origin of a visit. Both fields can be any text. */
export interface SourceMedium {
  /** For example `google`. */
  readonly source: string;
  /** For example `cpc`. */
  readonly medium: string;
}

/** Returns a unique key for a source. The length prefix separates the source from the medium. */
export function sourceKey({ source, medium }: SourceMedium): string {
  return `${source.length}:${source}${medium}`;
}

/** Orders by source, then by medium, by code points. */
export function compareSources(one: SourceMedium, other: SourceMedium): number {
  return compareCodePoints(one.source, other.source) || compareCodePoints(one.medium, other.medium);
}

/**
 * Formats a source for people: `google / cpc`. Visitors control both texts, so they are escaped and shortened by
 * `quote`.
 */
export function sourceText({ source, medium }: SourceMedium): string {
  return `${quote(source).slice(1, -1)} / ${quote(medium).slice(1, -1)}`;
}
