import { styleText } from "node:util";
import type { Host } from "../host.js";
import type { OutputFormat } from "./output-format.js";
import type { OutputOptions } from "./output-options.js";
import { stateStyle } from "./state-style.js";

/** Loads the format of a name, fit to the terminal where stdout is one. */
export async function createOutputFormat(
  { output, header }: Pick<OutputOptions, "output" | "header">,
  host: Host,
): Promise<OutputFormat> {
  switch (output) {
    case "json":
      return (await import("./json-format.js")).jsonFormat;
    case "ndjson":
      return (await import("./ndjson-format.js")).ndjsonFormat;
    case "csv":
      return (await import("./csv-format.js")).createCsvFormat(header);
    case "yaml":
      return (await import("./yaml-format.js")).yamlFormat;
    case "table":
      return await createTerminalTable(host, header);
  }
}

async function createTerminalTable({ stdout, stderr }: Host, header: boolean): Promise<OutputFormat> {
  const { createTableFormat } = await import("./table-format.js");
  const onHidden = (columns: readonly string[]) =>
    void stderr.write(`Too narrow for ${columns.join(", ")}: --columns chooses, --output json or csv has them.\n`);
  // Colours are for people: NO_COLOR and FORCE_COLOR are read by styleText.
  if (!stdout.isTTY) return createTableFormat({ header, onHidden });
  return createTableFormat({
    header,
    onHidden,
    width: stdout.columns,
    heading: (text) => styleText("bold", text, { stream: stdout }),
    cell: (column, text) => {
      const style = stateStyle(column, text.trim());
      return style === undefined ? text : styleText(style, text, { stream: stdout });
    },
  });
}
