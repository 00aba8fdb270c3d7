import type { OutputRow } from "./output-row.js";

/** A format for resources. Lists are formatted in chunks as their rows arrive. */
export interface OutputFormat {
  one(row: OutputRow): string;
  /** Formats a list, which may be empty. */
  list(list: RowList): AsyncIterable<string>;
}

export interface RowList {
  /** The names of the fields to show, in order. */
  readonly columns: readonly string[];
  /** Columns that may be omitted to save width, in the order in which they are omitted. */
  readonly expendable: readonly string[];
  /** The rows, page by page. */
  readonly pages: AsyncIterable<readonly OutputRow[]>;
  /** Whether the list has no end, so that each page is written when it arrives. */
  readonly isEndless?: boolean;
}
