import type { Row } from "../resource-row.js";

/** A way to write resources down: the text comes in chunks, as soon as it is known. */
export interface OutputFormat {
  /** The text of one resource. */
  one(row: Row): string;
  /** The text of a list, which may be empty. */
  list(list: RowList): AsyncIterable<string>;
}

/** A list of resources of one kind. */
export interface RowList {
  /** The names of all fields, in order. */
  readonly columns: readonly string[];
  /** The columns that may be left out where room is short, the first one first. */
  readonly expendable: readonly string[];
  /** The rows, page by page. */
  readonly pages: AsyncIterable<readonly Row[]>;
}
