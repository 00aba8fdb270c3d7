import type { AnyColumns } from "../import/import-columns.js";
import { UsageError } from "../process/usage-error.js";
import { comparableName } from "../text/comparable-name.js";
import { type CallLogFormat, type Columns, OUTCOME_KEYS, REQUIRED_KEYS } from "./call-log-format.js";
import { columnNames } from "./log-cells.js";

/** Returns the columns of a log. A file without a header gets the format's header that has the same number of columns. */
export function logColumns(format: CallLogFormat): AnyColumns {
  return {
    headerOf: (first) => {
      if (hasColumn(first, format.started_at)) return requireColumns(first, format);
      const implied = format.headers?.find(({ length }) => length === first.length);
      if (implied !== undefined) return implied;
      const rule =
        format.headers === undefined
          ? ""
          : `, or a file without a header must have ${lengthsOf(format.headers)} columns`;
      throw new UsageError(
        `the first line (${first.length} columns) has no column ${namesText(format.started_at)}: it must name the columns${rule}; ` +
          "if yours have other names, give them with --mapping",
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
  const [first, second] = sameColumns(header, format);
  if (second !== undefined)
    throw new UsageError(
      `columns ${JSON.stringify(first)} and ${JSON.stringify(second)} are the same: delete one, or rename it`,
    );
  if (!OUTCOME_KEYS.some((field) => hasColumn(header, format[field]))) {
    const names = OUTCOME_KEYS.flatMap((field) => format[field] ?? []);
    throw new UsageError(`no column ${namesText(names)} tells the outcome: export one, or name yours with --mapping`);
  }
  return header;
}

/** Returns columns whose names are equal when compared, so that only one of them would be read. */
function sameColumns(header: readonly string[], format: CallLogFormat): readonly string[] {
  const facts = Object.values<unknown>({ ...format }).flat();
  const conditions = [format.dialed_leg, format.voicemail, format.skip].flatMap((list) => list ?? []);
  const used = [...facts, ...conditions.map(({ column }) => column)]
    .filter((each) => typeof each === "string")
    .flatMap((each) => columnNames(each).flat());
  const same = used.map((name) => header.filter((column) => comparableName(column) === name));
  return same.find(({ length }) => length > 1) ?? [];
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
