interface Source {
  readonly source: string;
  readonly medium: string;
  readonly visits: number;
  readonly rank: number | null;
  readonly tracking_number: string | null;
  readonly status: string;
  readonly reason: string;
}

/** A change to a call tracker, from the response of ListPoolHistory. */
interface Change {
  readonly kind: string;
  readonly tracking_number: string;
  readonly reason: string;
}

/** The fields in the response of ExplainPool that the example uses. */
export interface PoolExplanation {
  readonly sources: readonly Source[];
}

/** The fields of a row in the response of ReportCalls that the example uses. */
export interface CallReportRow {
  readonly source: string | null;
  readonly medium: string | null;
  readonly calls: number;
  readonly answered: number;
  readonly missed: number;
  readonly visits: number | null;
  readonly calls_per_100_visits: number | null;
}

/**
 * Formats the report of the week.
 *
 * @param made the number of calls that visitors made, keyed by source. The report shows this number beside the number of calls that Calltrack
 *   counted.
 */
export function formatWeekReport(rows: readonly CallReportRow[], made: ReadonlyMap<string, number>): string {
  const lines = rows.map(({ source, medium, calls, answered, missed, visits, calls_per_100_visits }) => [
    `${source} / ${medium}`,
    ...[made.get(`${source} / ${medium}`) ?? 0, calls, answered, missed, visits ?? ""].map(String),
    calls_per_100_visits?.toFixed(1) ?? "",
  ]);
  const head = ["source", "calls made", "calls counted", "answered", "missed", "visits", "calls per 100 visits"];
  return ["\nThe week in calls", ...formatTable([head, ...lines])].join("\n");
}

/** Formats the report of a day: a table of the sources, and one line per change to a call tracker. */
export function formatDayReport(day: string, explanation: PoolExplanation, changes: readonly Change[]): string {
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
