/** A source of the report; part of the response of ExplainPool. */
interface Source {
  readonly source: string;
  readonly medium: string;
  readonly visits: number;
  readonly rank: number | null;
  readonly tracking_number: string | null;
  readonly status: string;
  readonly reason: string;
}

/** A change of the report; part of the response of ListPoolHistory. */
interface Change {
  readonly kind: string;
  readonly tracking_number: string;
  readonly reason: string;
}

/** Formats a day as a table of sources and one line per change of a call tracker. */
export function formatDay(
  day: string,
  explanation: { readonly sources: readonly Source[] },
  changes: readonly Change[],
): string {
  const rows = explanation.sources.map(({ source, medium, visits, rank, tracking_number, status, reason }) => [
    String(rank ?? ""),
    `${source} / ${medium}`,
    String(visits),
    tracking_number ?? "",
    tracking_number === null ? "" : status,
    reason,
  ]);
  return [
    `\n${day}`,
    ...formatTable([["", "source", "visits", "number", "", "why"], ...rows]),
    ...changes.map(({ kind, tracking_number, reason }) => `  → ${tracking_number} ${kind}: ${reason}`),
  ].join("\n");
}

function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd());
}
