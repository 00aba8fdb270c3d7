/** A dump that cannot be made or restored. The message is one line that says what is wrong and what to do. */
export class DumpError extends Error {
  override readonly name = "DumpError";
}

/**
 * A dump is gzip-compressed text, one JSON value a line:
 *
 *     {"calltrack_dump":1,"schema":"0008-audit-entries","release":"0.1.0","created_at":"2026-11-22T09:41:00.000Z"}
 *     {"table":"accounts","columns":["id","account_token","is_active","created_at","updated_at"]}
 *     ["1", "acme", "true", "2026-11-20 08:00:00.123+00", "2026-11-20 08:00:00.123+00"]
 *     {"sequences":{"accounts_id_seq":"2"}}
 *     {"end":{"rows":{"accounts":1},"sha256":"…"}}
 *
 * The header names the format's version and the last migration of the schema. Each table is followed by its rows, ordered by primary
 * key. A value is a string, as PostgreSQL writes it with `DUMP_SETTINGS`, or null. Sequences map to the next value that they give.
 * The last line counts the rows and has the SHA-256 of all lines between the header and itself: without it, a dump is not complete.
 * Two dumps with the same last line have the same data.
 */
export const FORMAT_VERSION = 1;

/** The first line of a dump. */
export interface DumpHeader {
  readonly calltrack_dump: number;
  /** The name of the last migration of the schema. */
  readonly schema: string;
  /** The release that made the dump. */
  readonly release: string;
  /** ISO 8601, in UTC. */
  readonly created_at: string;
}

/** The line before the rows of a table. */
export interface DumpTable {
  readonly table: string;
  readonly columns: readonly string[];
}

/** The line after all rows. */
export interface DumpSequences {
  /** By the name of the sequence the next value that it gives, as decimal text. */
  readonly sequences: Readonly<Record<string, string>>;
}

/** The last line of a dump. */
export interface DumpEnd {
  readonly end: {
    /** By the name of the table the number of its rows. */
    readonly rows: Readonly<Record<string, number>>;
    /** Of all lines between the header and this one, in hexadecimal. */
    readonly sha256: string;
  };
}

/** What a dump is read as: rows come in batches, each the JSON text of an array of rows. */
export type DumpPart = DumpTable | DumpSequences | DumpRows;

/** Some rows of the table that was named last. */
export interface DumpRows {
  readonly rows: string;
  readonly count: number;
}

/**
 * The settings that values are written and read with, so that they are exact and the same everywhere; with none of the time limits and
 * planner switches that fit requests.
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

/** Writes a line that is no row. */
export function formatLine(line: DumpHeader | DumpTable | DumpSequences | DumpEnd): string {
  return `${JSON.stringify(line)}\n`;
}

/** Reads a line that is no row. */
export function parseLine(line: string): Partial<DumpHeader & DumpTable & DumpSequences & DumpEnd> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Text of something else, or cut off: the same to the reader.
  }
  throw damaged("a line is not JSON");
}

/** The error of a dump that is not as it was written. */
export function damaged(detail: string): DumpError {
  return new DumpError(`The dump is damaged or incomplete (${detail}): restore another one.`);
}
