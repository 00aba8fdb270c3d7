/** The names of the output formats, the default first. */
export const outputFormatNames = ["table", "json", "ndjson", "csv"] as const;

/** One of {@link outputFormatNames}. */
export type OutputFormatName = (typeof outputFormatNames)[number];
