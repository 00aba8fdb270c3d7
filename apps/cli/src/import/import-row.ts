import type { Timestamp } from "@bufbuild/protobuf/wkt";

/** One row of a file that is imported. */
export interface ImportRow {
  /** The line of the file that the row begins on, from 1. */
  readonly line: number;
  /** How many bytes of the file were read up to the end of the row. */
  readonly endByte: number;
  readonly content: RowContent;
  /** The row in the format of its file, for a file of refused rows: with the reason in a column or key of its own. */
  toReject(reason: string): string;
}

/** What a row says by column, or why nothing can be read from it. */
export type RowContent =
  | { readonly kind: "fields"; readonly fields: RowFields }
  | {
      readonly kind: "unreadable";
      readonly reason: string;
      /** The columns that could not be read, and the fields of the others; absent where there are no columns. */
      readonly rest?: { readonly unread: readonly string[]; readonly fields: RowFields };
    };

/** What a row gives for a message, by the names that the message has for its fields. */
export type RowFields = Readonly<Record<string, FieldValue>>;

/** A value that a request can carry. */
export type FieldValue = string | number | boolean | Timestamp;

/** A file of rows, of which the part before the rows was read. */
export interface RowFile {
  /** What a file of refused rows begins with. */
  readonly rejectsHeader: string;
  /** The rows in order. Throws a `UsageError` where the file can't be read any further. */
  readonly rows: AsyncIterable<ImportRow>;
}

/** The column, or the key, that a file of refused rows has beyond those of the import; an import passes over it. */
export const REASON_COLUMN = "reason";
