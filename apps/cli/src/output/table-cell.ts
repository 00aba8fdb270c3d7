import stringWidth from "string-width";
import type { Cell } from "../resource-row.js";
import { visibleText } from "./visible-text.js";

const segmenter = new Intl.Segmenter();

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

/** The columns of a terminal that a text takes. */
export function textWidth(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);
}

/** The text, cut to a width, with an ellipsis in place of what was cut. */
export function fitText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = "";
  for (const { segment } of segmenter.segment(text)) {
    if (textWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
