/** Thrown if a dump cannot be written or restored. The message is one line that says what is wrong and what to do. */
export class DumpError extends Error {
  override readonly name = "DumpError";
}

/**
 * The version of the dump format. A dump is gzip-compressed text with one JSON value per line:
 *
 *     {"calltrack_dump":1,"schema":"0008-audit-entries","release":"0.1.0","created_at":"2026-11-22T09:41:00.000Z"}
 *     {"table":"accounts","columns":["id","account_token","is_active","created_at","updated_at"]}
 *     ["1", "acme", "true", "2026-11-20 08:00:00.123+00", "2026-11-20 08:00:00.123+00"]
 *     {"sequences":{"accounts_id_seq":"2"}}
 *     {"end":{"rows":{"accounts":1},"sha256":"…"}}
 *
 * The first line contains the format version, the last migration of the schema, and the release that wrote the dump. The line of each table is
 * followed by the rows of the table, ordered by primary key. A value is null, or a string in PostgreSQL's format with `DUMP_SESSION_SETTINGS`.
 * `sequences` contains the next value of each sequence.
 *
 * The last line contains the number of rows per table, and the hexadecimal SHA-256 of all lines except the first and the last. A dump without
 * the last line is incomplete. Two dumps with the same last line contain the same data.
 */
export const DUMP_FORMAT_VERSION = 1;

/** The first line of a dump. */
export interface DumpHeaderLine {
  readonly calltrack_dump: number;
  readonly schema: string;
  readonly release: string;
  readonly created_at: string;
}

/** The line that precedes the rows of a table. */
export interface DumpTableLine {
  readonly table: string;
  readonly columns: readonly string[];
}

/** The line that follows the rows of all tables. */
export interface DumpSequencesLine {
  readonly sequences: Readonly<Record<string, string>>;
}

/** The last line of a dump. */
export interface DumpEndLine {
  readonly end: {
    readonly rows: Readonly<Record<string, number>>;
    readonly sha256: string;
  };
}

/** A part of a dump between its first and its last line. Rows are read in batches. */
export type DumpPart = DumpTableLine | DumpSequencesLine | DumpRowBatch;

/** Consecutive rows of the preceding table: `rows` is a JSON array of `count` rows. */
export interface DumpRowBatch {
  readonly rows: string;
  readonly count: number;
}

/**
 * The PostgreSQL settings with which dumped values are written and read, so that the values are exact and do not depend on the configuration.
 * These settings also turn off the timeouts and planner settings that requests use.
 */
export const DUMP_SESSION_SETTINGS: Readonly<Record<string, string>> = {
  timezone: "UTC",
  datestyle: "ISO, YMD",
  intervalstyle: "postgres",
  bytea_output: "hex",
  extra_float_digits: "1",
  statement_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  plan_cache_mode: "auto",
  enable_seqscan: "on",
  enable_hashjoin: "on",
  enable_mergejoin: "on",
};

/** Formats a line of a dump other than a row. */
export function formatDumpLine(line: DumpHeaderLine | DumpTableLine | DumpSequencesLine | DumpEndLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** Parses a line of a dump other than a row. Throws a DumpError if the line is no JSON object. */
export function parseDumpLine(line: string): Partial<DumpHeaderLine & DumpTableLine & DumpSequencesLine & DumpEndLine> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Text that is not JSON gets the same error as JSON that is no object.
  }
  throw createDamagedDumpError("a line is not JSON");
}

export function createDamagedDumpError(detail: string): DumpError {
  return new DumpError(`The dump is damaged or incomplete (${detail}): restore another dump.`);
}
