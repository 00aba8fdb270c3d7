import { compareCodePoints } from "./code-point-order.js";
import { quoteValue } from "./quote-value.js";

/** The source and medium of a visit. Both are texts that visitors control. */
export interface SourceMedium {
  /** For example `google`. */
  readonly source: string;
  /** For example `cpc`. */
  readonly medium: string;
}

/**
 * Creates a key that is unique for each pair of source and medium. The key contains the length of the source, which determines where the medium
 * starts.
 */
export function createSourceKey({ source, medium }: SourceMedium): string {
  return `${source.length}:${source}${medium}`;
}

/** Compares by source, then by medium, in the order of their code points. */
export function compareSources(one: SourceMedium, other: SourceMedium): number {
  return compareCodePoints(one.source, other.source) || compareCodePoints(one.medium, other.medium);
}

/** Formats a source and medium as human-readable text: `google / cpc`. Escapes and shortens both, because visitors control them. */
export function formatSource({ source, medium }: SourceMedium): string {
  return `${quoteValue(source).slice(1, -1)} / ${quoteValue(medium).slice(1, -1)}`;
}
