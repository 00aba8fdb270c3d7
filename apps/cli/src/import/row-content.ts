import type { DescField } from "@bufbuild/protobuf";
import type { ReadField } from "./field-value.js";
import type { ImportColumns } from "./import-columns.js";
import type { FieldValue, RowContent } from "./import-row.js";

/** Parses the columns of a row. All errors are combined in one reason; absent values are skipped. */
export function readRowContent<Source>(
  columns: ImportColumns,
  sourceOf: (column: string) => Source | undefined,
  read: (field: DescField, source: Source) => ReadField,
): RowContent {
  const fields: Record<string, FieldValue> = {};
  const problems: string[] = [];
  const unread: string[] = [];
  for (const [name, field] of columns) {
    const source = sourceOf(name);
    if (source === undefined) continue;
    const result = read(field, source);
    if ("value" in result) fields[field.localName] = result.value;
    else {
      problems.push(`${name} ${result.expectation}`);
      unread.push(name);
    }
  }
  if (problems.length === 0) return { kind: "fields", fields };
  return { kind: "unreadable", reason: problems.join("; "), rest: { unread, fields } };
}
