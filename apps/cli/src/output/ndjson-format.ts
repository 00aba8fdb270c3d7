import type { Row } from "../resource-row.js";
import { jsonText } from "./json-text.js";
import type { OutputFormat, RowList } from "./output-format.js";

/** One JSON object per line. */
export const ndjsonFormat: OutputFormat = { one: line, list: ndjsonList };

async function* ndjsonList({ pages }: RowList): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map(line).join("");
}

function line(row: Row): string {
  return `${jsonText(row)}\n`;
}
