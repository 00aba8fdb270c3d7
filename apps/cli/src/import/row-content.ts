import type { FieldParseResult } from "./field-value.js";
import type { ImportColumn, ImportColumns } from "./import-columns.js";
import type { FieldValue, RowContent } from "./import-row.js";

/** Parses the columns of a row. All errors are combined in one reason; absent values are skipped. */
export function readRowContent<Source>(
  columns: ImportColumns,
  sourceOf: (column: string) => Source | undefined,
  read: (column: ImportColumn, source: Source) => FieldParseResult,
): RowContent {
  const fields: Record<string, FieldValue> = {};
  const problems: string[] = [];
  const unread: string[] = [];
  for (const [name, column] of columns) {
    const source = sourceOf(name);
    if (source === undefined) continue;
    const result = read(column, source);
    if ("expectation" in result) {
      problems.push(`${name} ${result.expectation}`);
      unread.push(name);
    } else if (result.value !== undefined) fields[column.field.localName] = result.value;
  }
  if (problems.length === 0) return { kind: "fields", fields };
  return { kind: "unreadable", reason: problems.join("; "), rest: { unread, fields } };
}
