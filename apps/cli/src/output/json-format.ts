import { formatJsonText } from "./json-text.js";
import type { OutputFormat, RowList } from "./output-format.js";
import type { OutputRow } from "./output-row.js";

/** One JSON document: an object or an array of objects. A list that fails midway leaves the array unclosed, so that parsers reject it. */
export const jsonFormat: OutputFormat = {
  one: (row) => `${formatJsonText(row, 2)}\n`,
  list: jsonList,
};

async function* jsonList({ pages }: RowList): AsyncGenerator<string> {
  let separator = "[\n";
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield separator + rows.map((row) => `  ${formatJsonText(row)}`).join(",\n");
    separator = ",\n";
  }
  yield separator === ",\n" ? "\n]\n" : "[]\n";
}

/** One JSON object per line. */
export const ndjsonFormat: OutputFormat = { one: line, list: ndjsonList };

async function* ndjsonList({ pages }: RowList): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map(line).join("");
}

function line(row: OutputRow): string {
  return `${formatJsonText(row)}\n`;
}
