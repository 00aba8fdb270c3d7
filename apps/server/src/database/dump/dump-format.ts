/** Thrown if a dump cannot be written or restored. The message says in one line what is wrong and what to do. */
export class DumpError extends Error {
  override readonly name = "DumpError";
}

/**
 * The version of the format. A dump is gzip-compressed text, one JSON value per line:
 *
 *     {"calltrack_dump":1,"schema":"0008-audit-entries","release":"0.1.0","created_at":"2026-11-22T09:41:00.000Z"}
 *     {"table":"accounts","columns":["id","account_token","is_active","created_at","updated_at"]}
 *     ["1", "acme", "true", "2026-11-20 08:00:00.123+00", "2026-11-20 08:00:00.123+00"]
 *     {"sequences":{"accounts_id_seq":"2"}}
 *     {"end":{"rows":{"accounts":1},"sha256":"…"}}
 *
 * The header contains the format version, the last migration of the schema and the release that wrote the dump. Each table is followed by its
 * rows, ordered by primary key. A value is null, or a string in the format that PostgreSQL uses with `DUMP_SETTINGS`. Each sequence has its
 * next value.
 *
 * The last line contains the row counts and the hexadecimal SHA-256 of all lines between it and the header. A dump without that line is
 * incomplete. Two dumps with the same last line contain the same data.
 */
export const FORMAT_VERSION = 1;

/** The first line of a dump. */
export interface DumpHeader {
  readonly calltrack_dump: number;
  readonly schema: string;
  readonly release: string;
  readonly created_at: string;
}

/** The line before the rows of a table. */
export interface DumpTable {
  readonly table: string;
  readonly columns: readonly string[];
}

/** The line after all rows. */
export interface DumpSequences {
  readonly sequences: Readonly<Record<string, string>>;
}

/** The last line of a dump. */
export interface DumpEnd {
  readonly end: {
    readonly rows: Readonly<Record<string, number>>;
    readonly sha256: string;
  };
}

/** A part of a dump. Rows are read in batches. */
export type DumpPart = DumpTable | DumpSequences | DumpRows;

/** Some rows of the preceding table, as a JSON array. */
export interface DumpRows {
  readonly rows: string;
  readonly count: number;
}

/**
 * Session settings with which values are written and read, so that they are exact and independent of the server's configuration. They also
 * turn off the timeouts and planner settings for requests.
 */
export const DUMP_SETTINGS: Readonly<Record<string, string>> = {
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

/** Formats a line that is not a row. */
export function formatLine(line: DumpHeader | DumpTable | DumpSequences | DumpEnd): string {
  return `${JSON.stringify(line)}\n`;
}

/** Parses a line that is not a row. */
export function parseLine(line: string): Partial<DumpHeader & DumpTable & DumpSequences & DumpEnd> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Other text or a truncated line: both get the same error.
  }
  throw damagedDumpError("a line is not JSON");
}

export function damagedDumpError(detail: string): DumpError {
  return new DumpError(`The dump is damaged or incomplete (${detail}): restore another one.`);
}
