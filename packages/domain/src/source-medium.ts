import { compareCodePoints } from "./code-point-order.js";
import { quoteValue } from "./quote-value.js";

/** The source and medium of a visit. Both are texts that visitors control. */
export interface SourceMedium {
  /** For example `google`. */
  readonly source: string;
  /** For example `cpc`. */
  readonly medium: string;
}

/** Creates a key that is unique for a source and medium. It begins with the length of the source, after which the medium begins. */
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
