import { type CallReportRow, CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { api } from "../../api/client";
import { serverTime } from "../../api/clock";
import { useLoad } from "../../api/use-load";
import { csvLines } from "../../format/csv";
import { saveFile } from "../../format/save-file";
import { route, setQuery } from "../../routing/route";
import { Empty } from "../../ui/empty";
import { Filters } from "../../ui/filters";
import { Loading } from "../../ui/loading";
import { AccountFrame } from "../account-frame";
import { BarChart } from "./bar-chart";
import { DayChart } from "./day-chart";
import { fillDays, GROUPINGS, type Grouping, groupText, lastDays, type ReportDays, reportFields } from "./report-query";
import { ReportTable } from "./report-table";

/** Counts the calls of an account by source, medium, property or day, beside the visits. */
export function ReportPage({ account }: { readonly account: string }) {
  const { query } = route.value;
  const grouping = (GROUPINGS.find(([name]) => name === query.get("by"))?.[0] ?? "source") as Grouping;
  const clock = useLoad("clock", serverTime);
  return (
    <AccountFrame account={account} current="report">
      <Loading of={clock} what="the report">
        {(now) => {
          const days = { ...lastDays(now), ...definedDays(query) };
          return (
            <>
              <ReportFilters grouping={grouping} days={days} />
              <Report account={account} grouping={grouping} days={days} />
            </>
          );
        }}
      </Loading>
    </AccountFrame>
  );
}

function definedDays(query: URLSearchParams): Partial<ReportDays> {
  const [from, to] = [query.get("from"), query.get("to")];
  return { ...(from !== null && isDay(from) && { from }), ...(to !== null && isDay(to) && { to }) };
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

function ReportFilters({ grouping, days }: { readonly grouping: Grouping; readonly days: ReportDays }) {
  return (
    <Filters
      filters={[
        { label: "By", value: grouping, onChange: (by) => setQuery({ by }), options: GROUPINGS },
        { label: "From (UTC day)", type: "date", value: days.from, onChange: (from) => setQuery({ from }) },
        { label: "To (UTC day)", type: "date", value: days.to, onChange: (to) => setQuery({ to }) },
      ]}
    />
  );
}

interface ReportProps {
  readonly account: string;
  readonly grouping: Grouping;
  readonly days: ReportDays;
}

function Report({ account, grouping, days }: ReportProps) {
  const loaded = useLoad(`report ${account} ${grouping} ${days.from} ${days.to}`, (signal) =>
    api(CallService).reportCalls({ accountId: account, ...reportFields(grouping, days) }, { signal }),
  );
  return (
    <Loading of={loaded} what="the report">
      {({ rows }) =>
        rows.length === 0 ? (
          <Empty title="No calls and no visits in this time" />
        ) : (
          <>
            {grouping === "day" ? (
              <DayChart days={fillDays(rows, days)} />
            ) : (
              <BarChart rows={rows} nameOf={(row) => groupText(grouping, row)} />
            )}
            <div class="table-head">
              <h2>The same as a table</h2>
              <button type="button" onClick={() => download(account, grouping, rows)}>
                Download CSV
              </button>
            </div>
            <ReportTable rows={rows} grouping={grouping} />
          </>
        )
      }
    </Loading>
  );
}

function download(account: string, grouping: Grouping, rows: readonly CallReportRow[]): void {
  const head = [
    grouping,
    "calls",
    "answered",
    "missed",
    "first_calls",
    "total_seconds",
    "visits",
    "calls_per_100_visits",
  ];
  const lines = rows.map((row) => [
    groupText(grouping, row),
    ...[row.calls, row.answered, row.missed, row.firstCalls],
    ...[row.totalSeconds, row.visits].map((value) => (value === undefined ? undefined : Number(value))),
    row.callsPer100Visits,
  ]);
  saveFile(`report-${account}-by-${grouping}.csv`, [csvLines([head, ...lines])]);
}
