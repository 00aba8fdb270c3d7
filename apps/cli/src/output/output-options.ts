/** The output formats, the default first. */
export const outputFormatNames = ["table", "json", "ndjson", "csv", "yaml"] as const;

export type OutputFormatName = (typeof outputFormatNames)[number];

export interface OutputOptions {
  readonly output: OutputFormatName;
  /** The columns to show, in order; undefined for the default ones. */
  readonly columns?: readonly string[] | undefined;
  /** The column to sort a list by; a leading dash reverses the order. */
  readonly sort?: string;
  /** A JMESPath expression to apply to the result. */
  readonly query?: string;
  /** Whether tables and CSV start with a header. */
  readonly header: boolean;
  /** Whether lists may go through the pager. */
  readonly pager: boolean;
}
