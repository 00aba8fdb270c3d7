/** A column that a table shows. */
export interface TableColumn {
  readonly name: string;
  /** In columns of the terminal. */
  readonly width: number;
}

/** The blanks between two columns. */
export const GAP = "  ";

/** The columns whose text is cut before any column is left out, and how far. */
const flexibleWidths: Readonly<Record<string, number>> = { description: 11, reason: 18, source: 10 };

/**
 * Chooses what a table shows in `room` columns of a terminal: as they are if all fit; else with long texts cut to
 * what room there is for each; else without the expendable columns, the first one first, as many as need be. Undefined room is unlimited.
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
  const widths = new Map(shown.map((column) => [column.name, shrunk(column).width]));
  let spare = Math.max(0, room - totalWidth(shown.map(shrunk)));
  // Who wants least gets it first, so that what it leaves is there for the others.
  const wanting = shown
    .map((column) => ({ name: column.name, wants: column.width - shrunk(column).width }))
    .filter(({ wants }) => wants > 0)
    .sort((one, other) => one.wants - other.wants);
  for (const [index, { name, wants }] of wanting.entries()) {
    const share = Math.min(wants, Math.floor(spare / (wanting.length - index)));
    widths.set(name, (widths.get(name) ?? 0) + share);
    spare -= share;
  }
  return shown.map(({ name, width }) => ({ name, width: widths.get(name) ?? width }));
}

function shrunk({ name, width }: TableColumn): TableColumn {
  return { name, width: Math.min(width, flexibleWidths[name] ?? width) };
}

function totalWidth(columns: readonly TableColumn[]): number {
  return columns.reduce((total, column) => total + column.width, GAP.length * (columns.length - 1));
}
