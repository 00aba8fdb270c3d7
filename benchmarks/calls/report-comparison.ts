import { computeSpread, type Spread } from "../comparison.ts";
import { expectEqualValues } from "../expect-equal-values.ts";
import type { LoadGenerator } from "../load/load.ts";
import type { RunningPeer } from "../peers/peer.ts";
import { type RoundPlan, runRounds } from "../rounds.ts";
import { requestJson } from "../workloads/send-json.ts";
import type { LoadRequest } from "../workloads/workload.ts";
import type { SeededPeriod } from "./calls-seed.ts";
import type { RunPsql } from "./psql.ts";

export interface ReportComparison {
  readonly title: string;
  /** Time over HTTP divided by the time in psql, in the same round. */
  readonly ratio: Spread;
  /** Medians of all rounds, in milliseconds. */
  readonly httpMs: number;
  readonly psqlMs: number;
}

export async function compareReportsWithPsql(
  seed: SeededPeriod,
  server: RunningPeer,
  psql: RunPsql,
  generateLoad: LoadGenerator,
  plan: RoundPlan,
): Promise<readonly ReportComparison[]> {
  const results: ReportComparison[] = [];
  for (const report of REPORTS) {
    const { title } = report;
    const request: LoadRequest = { method: "GET", path: pathOf(seed, report) };
    const statements = statementsOf(seed, report);
    const load = { port: server.port, protocol: "json", requests: [request], concurrency: 1 } as const;
    const ask = () => requestJson(server.port, request);
    const expected = await ask();
    const overHttp = async (seconds: number) => {
      const { p50 } = await generateLoad({ ...load, seconds });
      expectEqualValues(title, [expected, await ask()]);
      return p50;
    };
    const inPsql = async () => {
      const times = await psql(Array(REPETITIONS).fill(statements).flat());
      const sums = Array.from({ length: REPETITIONS }, (_, index) =>
        times.slice(index * statements.length, (index + 1) * statements.length).reduce((sum, each) => sum + each),
      );
      return computeSpread(sums).median;
    };
    const rounds = await runRounds([overHttp, inPsql], plan, async () => {});
    const of = (place: number) => computeSpread(rounds.map((round) => round[place] ?? Number.NaN)).median;
    const ratio = computeSpread(rounds.map(([http = Number.NaN, sql = Number.NaN]) => http / sql));
    results.push({ title, ratio, httpMs: of(0), psqlMs: of(1) });
    console.log(`${title}: ${ratio.median.toFixed(2)} (${of(0).toFixed(1)} ms, psql ${of(1).toFixed(1)} ms)`);
  }
  return results;
}

const REPETITIONS = 3;

interface Report {
  readonly title: string;
  readonly groupBy: readonly string[];
  readonly timeZone?: string;
  /** The SQL expressions by which the report is grouped. */
  readonly columns: readonly string[];
}

const BERLIN = "Europe/Berlin";

const REPORTS: readonly Report[] = [
  { title: "report, one row", groupBy: [], columns: [] },
  { title: "report by source", groupBy: ["source"], columns: ["source"] },
  { title: "report by source and medium", groupBy: ["source", "medium"], columns: ["source", "medium"] },
  {
    title: "report by source and day",
    groupBy: ["source", "day"],
    columns: ["source", "(started_at at time zone 'UTC')::date"],
  },
  { title: "report by pool", groupBy: ["pool"], columns: ["pool_id"] },
  { title: "report by number", groupBy: ["number"], columns: ["tracking_number"] },
  {
    title: "report by day and hour in Berlin",
    groupBy: ["day", "hour"],
    timeZone: BERLIN,
    columns: [`(started_at at time zone '${BERLIN}')::date`, `extract(hour from started_at at time zone '${BERLIN}')`],
  },
];

function pathOf({ from, to }: SeededPeriod, { groupBy, timeZone = "UTC" }: Report): string {
  const query = new URLSearchParams({ from, to, time_zone: timeZone });
  for (const field of groupBy) query.append("group_by", field);
  return `/dni_manager/accounts/1/calls:report?${query}`;
}

/** Returns the SQL statements that a person would write for the result of a report. */
function statementsOf(seed: SeededPeriod, { groupBy, timeZone, columns }: Report): readonly string[] {
  const hasVisits = timeZone === undefined && !groupBy.some((field) => ["pool", "number", "hour"].includes(field));
  return [callsOf(seed, columns), ...(hasVisits ? [visitsOf(seed, columns)] : [])];
}

function callsOf({ from, to }: SeededPeriod, columns: readonly string[]): string {
  const unanswered = "answered_at is null and outcome not in ('in_progress', 'answered')";
  const counts = [
    ...["count(*)", "count(*) filter (where answered_at is not null or outcome = 'answered')"],
    `count(*) filter (where ${unanswered} and outcome_detail is distinct from 'unknown')`,
    ...["abandoned", "unknown"].map((detail) => `count(*) filter (where outcome_detail = '${detail}')`),
    ...["count(*) filter (where is_first_call)", "sum(duration_seconds)"],
  ];
  return (
    `select ${[...columns, ...counts].join()} from calls ` +
    `where account_id = 1 and started_at >= '${from}' and started_at < '${to}' ${groupBy(columns)}`
  );
}

function visitsOf({ from, to }: SeededPeriod, columns: readonly string[]): string {
  const grouped = columns.map((column) => (column.includes("started_at") ? "day" : column));
  return (
    `select ${[...grouped, "sum(visits)"].join()} from visit_counts ` +
    `where account_id = 1 and day >= '${from}'::date and day < '${to}'::date ${groupBy(grouped)}`
  );
}

function groupBy(columns: readonly string[]): string {
  return columns.length === 0 ? "" : `group by ${columns.map((_, index) => index + 1).join()}`;
}
