/** A column that a table shows. */
export interface TableColumn {
  readonly name: string;
  /** In columns of the terminal. */
  readonly width: number;
}

/** The blanks between two columns. */
export const GAP = "  ";

/** The one column whose text is cut before any column is left out, and how far. */
const FLEXIBLE = "description";
const FLEXIBLE_MIN = 10;

/**
 * Chooses what a table shows in `room` columns of a terminal: as they are if all fit; else with the description cut; else
 * without the expendable columns, the first one first, as many as need be. Undefined room is unlimited.
 */
export function layOutTable(
  columns: readonly TableColumn[],
  expendable: readonly string[],
  room: number | undefined,
): TableColumn[] {
  let shown = [...columns];
  if (room === undefined) return shown;
  for (const name of expendable) {
    if (totalWidth(shown.map(shrunk)) <= room) break;
    shown = shown.filter((column) => column.name !== name);
  }
  const spare = room - totalWidth(shown.map(shrunk));
  return shown.map((column) => ({
    ...column,
    width: Math.min(column.width, shrunk(column).width + Math.max(0, spare)),
  }));
}

function shrunk(column: TableColumn): TableColumn {
  return column.name === FLEXIBLE ? { ...column, width: Math.min(column.width, FLEXIBLE_MIN) } : column;
}

function totalWidth(columns: readonly TableColumn[]): number {
  return columns.reduce((total, column) => total + column.width, GAP.length * (columns.length - 1));
}
