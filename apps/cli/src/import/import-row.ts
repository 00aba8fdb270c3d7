import type { Timestamp } from "@bufbuild/protobuf/wkt";

export interface ImportRow {
  /** Number of the row's first line, beginning with 1. */
  readonly line: number;
  /** Offset of the row's end in the file, in bytes of UTF-8. */
  readonly endByte: number;
  readonly content: RowContent;
  /** Formats the row for the rejects file, with the reason in an extra column or key. */
  toReject(reason: string): string;
}

/** The fields of a row, or why it cannot be read. */
export type RowContent =
  | { readonly kind: "fields"; readonly fields: RowFields }
  | {
      readonly kind: "unreadable";
      readonly reason: string;
      /** The line with the problem, if it is not the record's first line. */
      readonly line?: number;
      /** The columns that could not be read, and the fields of the other columns. Absent if the row could not be divided into columns. */
      readonly rest?: { readonly unread: readonly string[]; readonly fields: RowFields };
    };

/** The rows that form one record, in the order of the file. */
export interface RowGroup {
  readonly rows: readonly ImportRow[];
  readonly content: RowGroupContent;
}

/** The fields of a record, or the reason why the record cannot be read or is skipped. */
export type RowGroupContent = RowContent | { readonly kind: "skipped"; readonly reason: string };

/** The values of a row, keyed by the TypeScript names of the request's fields. */
export type RowFields = Readonly<Record<string, FieldValue>>;

/** The types that the value of a column can have in a request. */
export type FieldValue = string | number | boolean | Timestamp;

/** An import file whose header has been read. */
export interface RowFile {
  /** The header of the rejects file. */
  readonly rejectsHeader: string;
  /** The rows in order. Throws a UsageError if the file cannot be read further. */
  readonly rows: AsyncIterable<ImportRow>;
}

/** Maximum length of a row, in characters: a longer row probably lacks its end, such as a closing quote. */
export const MAX_ROW_LENGTH = 1 << 20;

/** The extra column or key of the rejects file, which contains the reason. Imports ignore it, so users can import a corrected rejects file. */
export const REJECT_REASON_COLUMN = "reason";
