import type { Cell } from "../resource-row.js";
import { visibleText } from "./visible-text.js";

/** The names of columns that hold timestamps. */
const timestampColumn = /^(at|now)$|_(at|until)$/;

/** The text that a person reads for a value. Timestamps lose their `T` and fraction of a second and stay in UTC. */
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

/** A timestamp of JSON as a person reads it, in UTC and without a fraction of a second. */
export function timestampText(json: string): string {
  return json.replace(/^([\d-]{10})T([\d:]{8})(\.\d+)?Z$/, "$1 $2Z");
}
