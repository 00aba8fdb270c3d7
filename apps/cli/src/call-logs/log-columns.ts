import type { ArbitraryColumns } from "../import/import-columns.js";
import { REJECT_REASON_COLUMN } from "../import/import-row.js";
import { UsageError } from "../process/usage-error.js";
import { normalizeColumnName } from "../text/normalize-word.js";
import {
  type CallLogFormat,
  type ColumnAlternatives,
  OUTCOME_FORMAT_KEYS,
  REQUIRED_FORMAT_KEYS,
} from "./call-log-format.js";
import { splitColumnAlternatives } from "./call-log-row-cells.js";

/** Replaces {@link REJECT_REASON_COLUMN} in the rejects file of a log whose own column with this name is read. */
const OTHER_REASON_COLUMN = "calltrack_reason";

/** A file without a header line gets the format's header that has the same number of columns. */
export function createCallLogColumns(format: CallLogFormat): ArbitraryColumns {
  return {
    reasonColumn: listUsedColumns(format).includes(REJECT_REASON_COLUMN) ? OTHER_REASON_COLUMN : REJECT_REASON_COLUMN,
    chooseHeader: (first) => {
      if (hasColumn(first, format.started_at)) return requireColumns(first, format);
      const implied = format.headers?.find(({ length }) => length === first.length);
      if (implied !== undefined) return implied;
      const rule =
        format.headers === undefined
          ? ""
          : `, or the file must have no header and exactly ${lengthsOf(format.headers)} columns`;
      throw new UsageError(
        `the first line (${first.length} columns) has no column ${namesText(format.started_at)}: it must name the columns${rule}; ` +
          "if your columns have other names, map them with --mapping",
      );
    },
  };
}

function requireColumns(header: readonly string[], format: CallLogFormat): readonly string[] {
  const missing = REQUIRED_FORMAT_KEYS.find((field) => !hasColumn(header, format[field]));
  if (missing !== undefined)
    throw new UsageError(
      `no column ${namesText(format[missing])} for ${missing}: export this column, or name another one with --mapping`,
    );
  const [first, second] = sameColumns(header, format);
  if (second !== undefined)
    throw new UsageError(
      `columns ${JSON.stringify(first)} and ${JSON.stringify(second)} have the same name, apart from case and punctuation: delete or rename one of them`,
    );
  if (!OUTCOME_FORMAT_KEYS.some((field) => hasColumn(header, format[field]))) {
    const names = OUTCOME_FORMAT_KEYS.flatMap((field) => format[field] ?? []);
    throw new UsageError(
      `no column ${namesText(names)} shows the outcome of calls: export one of these columns, or name another column with --mapping`,
    );
  }
  return header;
}

/** Returns columns whose normalized names are equal, so that only one of them would be read. */
function sameColumns(header: readonly string[], format: CallLogFormat): readonly string[] {
  const same = listUsedColumns(format).map((name) => header.filter((column) => normalizeColumnName(column) === name));
  return same.find(({ length }) => length > 1) ?? [];
}

/** Returns the normalized names of the columns that the format reads. */
function listUsedColumns(format: CallLogFormat): readonly string[] {
  const facts = Object.values<unknown>({ ...format }).flat();
  const conditions = [format.dialed_leg, format.voicemail, format.skip].flatMap((list) => list ?? []);
  return [...facts, ...conditions.map(({ column }) => column)]
    .filter((each) => typeof each === "string")
    .flatMap((each) => splitColumnAlternatives(each).flat());
}

function hasColumn(header: readonly string[], columns: ColumnAlternatives | undefined): boolean {
  const names = new Set(header.map(normalizeColumnName));
  return splitColumnAlternatives(columns).some((joined) => joined.every((name) => names.has(name)));
}

function namesText(columns: ColumnAlternatives): string {
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
