import { visibleText } from "@calltrack/domain/visible-text";
import type { Cell } from "./resource-row.js";

/** The names of timestamp columns. */
const timestampColumn = /^(at|now)$|_(at|until)$/;

/** Formats a value for people. Timestamps are in UTC, without the `T` and fractional seconds. */
export function cellText(column: string, cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return "-";
  if (isWords(cell)) return visibleText(cell.join(", "));
  if (typeof cell === "object") return visibleText(JSON.stringify(cell));
  if (typeof cell !== "string") return String(cell);
  return timestampColumn.test(column) ? timestampText(cell) : visibleText(cell);
}

function isWords(cell: Cell): cell is readonly string[] {
  return Array.isArray(cell) && cell.every((word) => typeof word === "string");
}

/** Formats a JSON timestamp for people, in UTC and without fractional seconds. */
export function timestampText(json: string): string {
  return json.replace(/^([\d-]{10})T([\d:]{8})(\.\d+)?Z$/, "$1 $2Z");
}
