import type { CommandHost } from "../process/command-host.js";
import { UsageError } from "../process/usage-error.js";
import { createOutputFormat } from "./create-output-format.js";
import { formatJsonText } from "./json-text.js";
import type { RowList } from "./output-format.js";
import type { OutputOptions } from "./output-options.js";
import type { OutputRow } from "./output-row.js";
import { selectColumns, sortRowsAndSelectColumns } from "./select-columns.js";
import { writeText } from "./write-text.js";
import { writeWithPager } from "./write-with-pager.js";

/** Prints one result with the user's output options. Throws UsageError for an unknown column or an invalid expression. */
export async function writeRow(host: CommandHost, options: OutputOptions, row: OutputRow): Promise<void> {
  const selected = selectColumns(row, options);
  if (options.query !== undefined) return await writeQueryValue(host, options, selected);
  const format = await createOutputFormat(options, host);
  await writeText(host.stdout, [format.one(selected)]);
}

/**
 * Prints a list with the user's output options, page by page if the format allows.
 *
 * @param known the columns that the user may select: the list's columns, and any further columns of its rows.
 * @throws UsageError for an unknown column or an invalid expression, or if the list is endless and an option needs the whole list.
 */
export async function writeRows(
  host: CommandHost,
  options: OutputOptions,
  list: RowList,
  known: readonly string[] = list.columns,
): Promise<void> {
  if (list.isEndless) rejectOptionsOfWholeLists(options);
  const selected = sortRowsAndSelectColumns(list, known, options);
  if (options.query !== undefined) {
    const rows: OutputRow[] = [];
    for await (const page of selected.pages) rows.push(...page);
    return await writeQueryValue(host, options, rows);
  }
  const format = await createOutputFormat(options, host);
  await writeWithPager(host, format.list(selected), options.pager && !list.isEndless);
}

function rejectOptionsOfWholeLists({ sort, query }: OutputOptions): void {
  const option = sort !== undefined ? "--sort" : query !== undefined ? "--query" : undefined;
  if (option === undefined) return;
  throw new UsageError(
    `${option} needs the whole list, but this list has no end: pass --output ndjson instead, and process the lines with another program`,
  );
}

/** Prints the value of a JMESPath expression: as YAML if requested, otherwise as JSON. Throws UsageError for an invalid expression. */
export async function writeQueryValue(
  host: CommandHost,
  { query = "", output }: Pick<OutputOptions, "query" | "output">,
  result: unknown,
): Promise<void> {
  const { search } = await import("@aws-lambda-powertools/jmespath");
  let value: unknown;
  try {
    value = search(query, result as Parameters<typeof search>[1]);
  } catch (error) {
    throw new UsageError(`--query ${JSON.stringify(query)}: ${(error as Error).message}`, { cause: error });
  }
  const text =
    output === "yaml" ? (await import("./yaml-text.js")).formatYamlText(value) : `${formatJsonText(value, 2)}\n`;
  await writeText(host.stdout, [text]);
}
