type Style = "green" | "yellow" | "red" | "dim";

/** Columns that contain states or changes of state. */
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
export function stateStyle(column: string, text: string): Style | undefined {
  return STATE_COLUMNS.includes(column) ? STYLES[text] : undefined;
}
