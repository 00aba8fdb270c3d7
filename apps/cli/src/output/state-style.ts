type Style = "green" | "yellow" | "red" | "dim";

/** The columns whose cells are states, or changes to one. */
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

/** How a state stands out on a terminal; undefined for what is none. */
export function stateStyle(column: string, text: string): Style | undefined {
  return STATE_COLUMNS.includes(column) ? STYLES[text] : undefined;
}
