import { compareCodePoints } from "./code-point-order.js";
import { quote } from "./quote.js";

/** Where a visit came from; either may be any text. */
export interface SourceMedium {
  /** Such as `google`. */
  readonly source: string;
  /** Such as `cpc`. */
  readonly medium: string;
}

/** A text that two sources share only if they are the same: the length tells where the source ends and the medium begins. */
export function sourceKey({ source, medium }: SourceMedium): string {
  return `${source.length}:${source}${medium}`;
}

/** Compares by source, then by medium, in the order of code points. */
export function compareSources(one: SourceMedium, other: SourceMedium): number {
  return compareCodePoints(one.source, other.source) || compareCodePoints(one.medium, other.medium);
}

/** A source in words, `google / cpc`: visitors choose both texts, so they are escaped and cut as `quote` does it. */
export function sourceText({ source, medium }: SourceMedium): string {
  return `${quote(source).slice(1, -1)} / ${quote(medium).slice(1, -1)}`;
}
