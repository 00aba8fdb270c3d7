/** A column that a table shows. */
export interface TableColumn {
  readonly name: string;
  /** In columns of the terminal. */
  readonly width: number;
}

/** The blanks between two columns. */
export const GAP = "  ";

/** The columns whose text is cut before any column is left out, and how far. */
const flexibleWidths: Readonly<Record<string, number>> = { description: 10, reason: 24, source: 12 };

/**
 * Chooses what a table shows in `room` columns of a terminal: as they are if all fit; else with long texts cut, the last
 * ones first; else without the expendable columns, the first one first, as many as need be. Undefined room is unlimited.
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
  let spare = Math.max(0, room - totalWidth(shown.map(shrunk)));
  return shown.map((column) => {
    const { name, width: least } = shrunk(column);
    const width = Math.min(column.width, least + spare);
    spare -= width - least;
    return { name, width };
  });
}

function shrunk({ name, width }: TableColumn): TableColumn {
  return { name, width: Math.min(width, flexibleWidths[name] ?? width) };
}

function totalWidth(columns: readonly TableColumn[]): number {
  return columns.reduce((total, column) => total + column.width, GAP.length * (columns.length - 1));
}
