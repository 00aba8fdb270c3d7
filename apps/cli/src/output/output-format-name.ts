/** The output formats, the default first. */
export const outputFormatNames = ["table", "json", "ndjson", "csv", "yaml"] as const;

/** One of {@link outputFormatNames}. */
export type OutputFormatName = (typeof outputFormatNames)[number];
