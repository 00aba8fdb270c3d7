import { styleText } from "node:util";
import type { Host } from "../host.js";
import { csvFormat } from "./csv-format.js";
import { jsonFormat } from "./json-format.js";
import { ndjsonFormat } from "./ndjson-format.js";
import type { OutputFormat } from "./output-format.js";
import type { OutputFormatName } from "./output-format-name.js";
import { createTableFormat } from "./table-format.js";

/** The format of a name, fit to the terminal where stdout is one. */
export function createOutputFormat(name: OutputFormatName, host: Host): OutputFormat {
  switch (name) {
    case "json":
      return jsonFormat;
    case "ndjson":
      return ndjsonFormat;
    case "csv":
      return csvFormat;
    case "table":
      return createTerminalTable(host);
  }
}

function createTerminalTable({ stdout, stderr }: Host): OutputFormat {
  return createTableFormat({
    width: stdout.isTTY ? stdout.columns : undefined,
    heading: stdout.isTTY ? (text) => styleText("bold", text, { stream: stdout }) : (text) => text,
    onHidden: (columns) => stderr.write(`Too narrow for ${columns.join(", ")}: --output json or csv has them.\n`),
  });
}
