import { styleText } from "node:util";
import type { CommandHost } from "../process/command-host.js";
import { jsonFormat, ndjsonFormat } from "./json-format.js";
import type { OutputFormat } from "./output-format.js";
import type { OutputOptions } from "./output-options.js";

/** Loads the selected output format. Tables are fitted to the terminal's width. */
export async function createOutputFormat(
  { output, header }: Pick<OutputOptions, "output" | "header">,
  host: CommandHost,
): Promise<OutputFormat> {
  switch (output) {
    case "json":
      return jsonFormat;
    case "ndjson":
      return ndjsonFormat;
    case "csv":
      return (await import("./csv-format.js")).createCsvFormat(header);
    case "yaml":
      return (await import("./yaml-format.js")).yamlFormat;
    case "table":
      return await createTerminalTable(host, header);
  }
}

async function createTerminalTable({ stdout, stderr }: CommandHost, header: boolean): Promise<OutputFormat> {
  const { createTableFormat } = await import("./table-format.js");
  const onHidden = (columns: readonly string[]) =>
    void stderr.write(
      `The terminal is too narrow to show ${columns.join(", ")}: select columns with --columns, or use --output json.\n`,
    );
  // Only a terminal shows colors. `styleText` respects NO_COLOR and FORCE_COLOR.
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

type Style = "green" | "yellow" | "red" | "dim";

/** Columns whose cells are states or changes of state. */
const STATE_COLUMNS: readonly string[] = ["status", "state", "is_active", "change"];

const STYLES: Readonly<Record<string, Style>> = {
  active: "green",
  assigned: "green",
  true: "green",
  activated: "green",
  flagged: "yellow",
  resting: "yellow",
  retiring: "yellow",
  retired: "red",
  deleted: "red",
  dropped: "red",
  false: "red",
  available: "dim",
  free: "dim",
};

/** Returns the style of a state; undefined for other cells. */
function stateStyle(column: string, text: string): Style | undefined {
  return STATE_COLUMNS.includes(column) ? STYLES[text] : undefined;
}
