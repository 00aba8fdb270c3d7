import type { AnyColumns } from "../import/import-columns.js";
import { UsageError } from "../process/usage-error.js";
import { comparableName } from "../text/comparable-name.js";
import { type CallLogFormat, type Columns, OUTCOME_KEYS, REQUIRED_KEYS } from "./call-log-format.js";
import { columnNames } from "./log-cells.js";

/** Returns the columns of a log. A file without a header gets that of the format which has as many columns. */
export function logColumns(format: CallLogFormat): AnyColumns {
  return {
    headerOf: (first) => {
      if (hasColumn(first, format.started_at)) return requireColumns(first, format);
      const implied = format.headers?.find(({ length }) => length === first.length);
      if (implied !== undefined) return implied;
      const rule =
        format.headers === undefined ? "" : `, or a file without header must have ${lengthsOf(format.headers)} columns`;
      throw new UsageError(
        `the first line (${first.length} columns) has no column ${namesText(format.started_at)}: it must name the columns${rule}; ` +
          "--mapping gives other names",
      );
    },
  };
}

function requireColumns(header: readonly string[], format: CallLogFormat): readonly string[] {
  const missing = REQUIRED_KEYS.find((field) => !hasColumn(header, format[field]));
  if (missing !== undefined)
    throw new UsageError(
      `no column ${namesText(format[missing])} for ${missing}: export it, or name yours with --mapping`,
    );
  if (!OUTCOME_KEYS.some((field) => hasColumn(header, format[field]))) {
    const names = OUTCOME_KEYS.flatMap((field) => format[field] ?? []);
    throw new UsageError(`no column ${namesText(names)} tells the outcome: export one, or name yours with --mapping`);
  }
  return header;
}

function hasColumn(header: readonly string[], columns: Columns | undefined): boolean {
  const names = new Set(header.map(comparableName));
  return columnNames(columns).some((joined) => joined.every((name) => names.has(name)));
}

function namesText(columns: Columns): string {
  return [columns]
    .flat()
    .map((name) => JSON.stringify(name))
    .join(" or ");
}

function lengthsOf(headers: readonly (readonly string[])[]): string {
  return headers
    .map(({ length }) => length)
    .join(", ")
    .replace(/, (\d+)$/, " or $1");
}
