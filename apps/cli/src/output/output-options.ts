import type { OutputFormatName } from "./output-format-name.js";

/** How the user wants results to be written. */
export interface OutputOptions {
  readonly output: OutputFormatName;
  /** The columns to write, in order; undefined for those of the view. */
  readonly columns?: readonly string[] | undefined;
  /** The column to sort a list by, after a dash in descending order. */
  readonly sort?: string;
  /** A JMESPath expression whose value is written in place of the result. */
  readonly query?: string;
  /** Whether tables and CSV begin with the names of the columns. */
  readonly header: boolean;
  /** Whether a list goes through the pager of the environment. */
  readonly pager: boolean;
}
