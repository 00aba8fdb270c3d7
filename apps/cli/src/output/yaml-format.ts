import type { OutputFormat, RowList } from "./output-format.js";
import { formatYamlText } from "./yaml-text.js";

/** One YAML document: a mapping or a sequence of mappings. */
export const yamlFormat: OutputFormat = { one: formatYamlText, list: yamlList };

async function* yamlList({ pages }: RowList): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    isEmpty = false;
    yield formatYamlText(rows);
  }
  if (isEmpty) yield "[]\n";
}
