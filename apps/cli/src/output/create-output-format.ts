import { styleText } from "node:util";
import type { Host } from "../process/host.js";
import type { OutputFormat } from "./output-format.js";
import type { OutputOptions } from "./output-options.js";
import { stateStyle } from "./state-style.js";

/** Loads the selected output format; tables are fitted to the terminal width. */
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
    void stderr.write(`Terminal too narrow for ${columns.join(", ")}: use --columns, or --output json or csv.\n`);
  // Colours are for terminals; styleText honours NO_COLOR and FORCE_COLOR.
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
