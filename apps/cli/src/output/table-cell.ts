import { escapeForTerminal } from "@calltrack/domain/escape-for-terminal";
import type { OutputCell } from "./output-row.js";

const timestampColumn = /^(at|now)$|_(at|until)$/;

/** Formats a value for human readers. Timestamps are in UTC, without the `T` and fractional seconds. */
export function formatCell(column: string, cell: OutputCell | undefined): string {
  if (cell === null || cell === undefined) return "-";
  if (isWords(cell)) return escapeForTerminal(cell.join(", "));
  if (typeof cell === "object") return escapeForTerminal(JSON.stringify(cell));
  if (typeof cell !== "string") return String(cell);
  return timestampColumn.test(column) ? formatTimestamp(cell) : escapeForTerminal(cell);
}

function isWords(cell: OutputCell): cell is readonly string[] {
  return Array.isArray(cell) && cell.every((word) => typeof word === "string");
}

/** Formats a JSON timestamp for human readers, in UTC and without fractional seconds. */
export function formatTimestamp(json: string): string {
  return json.replace(/^([\d-]{10})T([\d:]{8})(\.\d+)?Z$/, "$1 $2Z");
}
