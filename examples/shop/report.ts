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

/** The explanation of a pool; part of the response of ExplainPool. */
export interface Explanation {
  readonly sources: readonly Source[];
}

/** A row of the report of the week; part of the response of ReportCalls. */
export interface ReportRow {
  readonly source: string | null;
  readonly medium: string | null;
  readonly calls: number;
  readonly answered: number;
  readonly missed: number;
  readonly visits: number | null;
  readonly calls_per_100_visits: number | null;
}

/** Formats the report of the week, with the calls that were made beside those that were counted. */
export function formatWeek(rows: readonly ReportRow[], made: ReadonlyMap<string, number>): string {
  const lines = rows.map(({ source, medium, calls, answered, missed, visits, calls_per_100_visits }) => [
    `${source} / ${medium}`,
    ...[made.get(`${source} / ${medium}`) ?? 0, calls, answered, missed, visits ?? ""].map(String),
    calls_per_100_visits?.toFixed(1) ?? "",
  ]);
  const head = ["source", "calls made", "calls counted", "answered", "missed", "visits", "calls per 100 visits"];
  return ["\nThe week in calls", ...formatTable([head, ...lines])].join("\n");
}

/** Formats a day as a table of sources and one line per change of a call tracker. */
export function formatDay(day: string, explanation: Explanation, changes: readonly Change[]): string {
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
