export interface TableColumn {
  readonly name: string;
  /** In terminal columns. */
  readonly width: number;
}

export const COLUMN_GAP = "  ";

/** Columns that are truncated before any column is omitted, with their minimum widths. */
const flexibleWidths: Readonly<Record<string, number>> = { description: 11, reason: 18, source: 10 };

/**
 * Fits a table to the terminal: first truncates long text, then omits expendable columns in order until the others fit.
 *
 * @param room terminal width in columns; undefined for unlimited.
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
  // Widens the columns that lack the least width first, so that the width that they do not use goes to the other columns.
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
  return columns.reduce((total, column) => total + column.width, COLUMN_GAP.length * (columns.length - 1));
}
