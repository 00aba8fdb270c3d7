import type { OutputFormat, RowList } from "./output-format.js";
import type { Row } from "./resource-row.js";

/** One JSON object per line. */
export const ndjsonFormat: OutputFormat = { one: line, list: ndjsonList };

async function* ndjsonList({ pages }: RowList): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map(line).join("");
}

function line(row: Row): string {
  return `${JSON.stringify(row)}\n`;
}
