import { type CallReportRow, CallReportRowSchema, CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { createApiClient } from "../../api/client";
import { readServerTime } from "../../api/clock";
import { useLoad } from "../../api/use-load";
import { createResourceKindEventFilter } from "../../events/event-filters";
import { formatCsv } from "../../format/csv";
import { downloadCsvFile } from "../../format/download-csv-file";
import { currentRoute, setQueryParameters } from "../../routing/route";
import { EmptyNotice } from "../../ui/empty-notice";
import { FilterBar } from "../../ui/filter-bar";
import { LoadedView } from "../../ui/loaded-view";
import { AccountFrame } from "../account-frame";
import { ReportBarChart } from "./report-bar-chart";
import { ReportDayChart } from "./report-day-chart";
import {
  addEmptyDays,
  computeDefaultReportDayRange,
  createReportRequest,
  REPORT_GROUPINGS,
  type ReportDayRange,
  type ReportGrouping,
} from "./report-query";
import { ReportTable } from "./report-table";

const GROUP_OPTIONS = REPORT_GROUPINGS.map(({ name, title }) => [name, title] as const);

/** The page with an account's report: calls and visits by source, medium, channel, property or day. */
export function ReportPage({ account }: { readonly account: string }) {
  const { query } = currentRoute.value;
  const group = REPORT_GROUPINGS.find(({ name }) => name === query.get("by")) ?? REPORT_GROUPINGS[0];
  // Reloaded with the report, so that the default range includes a day that begins while the page is open.
  const clock = useLoad("clock", readServerTime, { changedBy: createResourceKindEventFilter("call") });
  return (
    <AccountFrame account={account} current="report">
      <LoadedView of={clock} what="the report">
        {(now) => {
          const last = computeDefaultReportDayRange(now);
          const days = { from: parseDay(query.get("from")) ?? last.from, to: parseDay(query.get("to")) ?? last.to };
          return (
            <>
              <FilterBar
                filters={[
                  {
                    label: "Group by",
                    value: group.name,
                    onChange: (by) => setQueryParameters({ by }),
                    options: GROUP_OPTIONS,
                  },
                  {
                    label: "From (UTC day)",
                    type: "date",
                    value: days.from,
                    onChange: (day) => setDay("from", day),
                  },
                  { label: "To (UTC day)", type: "date", value: days.to, onChange: (day) => setDay("to", day) },
                ]}
              />
              <Report account={account} group={group} days={days} />
            </>
          );
        }}
      </LoadedView>
    </AccountFrame>
  );
}

/**
 * Sets the first or last day in the URL. Ignores the empty value of an incomplete or invalid date: without the day in the URL, the default would
 * replace the date while the user types it.
 */
function setDay(parameter: keyof ReportDayRange, day: string): void {
  if (day !== "") setQueryParameters({ [parameter]: day });
}

/** Returns the text if it is a day in the form `YYYY-MM-DD`; otherwise undefined. */
function parseDay(text: string | null): string | undefined {
  return text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

interface ReportProps {
  readonly account: string;
  readonly group: ReportGrouping;
  readonly days: ReportDayRange;
}

function Report({ account, group, days }: ReportProps) {
  const loaded = useLoad(
    `report ${account} ${group.name} ${days.from} ${days.to}`,
    (signal) =>
      createApiClient(CallService).reportCalls({ accountId: account, ...createReportRequest(group, days) }, { signal }),
    { changedBy: createResourceKindEventFilter("call") },
  );
  return (
    <LoadedView of={loaded} what="the report">
      {({ rows }) =>
        rows.length === 0 ? (
          <EmptyNotice title="No calls or visits in this period" />
        ) : (
          <>
            {group.name === "day" ? (
              <ReportDayChart days={addEmptyDays(rows, days)} />
            ) : (
              <ReportBarChart rows={rows} group={group} />
            )}
            <div class="table-head">
              <h2>The same figures as a table</h2>
              <button type="button" onClick={() => download(account, group, rows)}>
                Download CSV
              </button>
            </div>
            <ReportTable rows={rows} group={group} />
          </>
        )
      }
    </LoadedView>
  );
}

const CSV_FIELDS = [
  "calls",
  "answered",
  "missed",
  "abandoned",
  "unknown",
  "voicemail",
  "firstCalls",
  "totalSeconds",
  "visits",
  "callsPer100Visits",
] as const;

function download(account: string, group: ReportGrouping, rows: readonly CallReportRow[]): void {
  const head = [group.name, ...CSV_FIELDS.map((field) => CallReportRowSchema.field[field].name)];
  const lines = rows.map((row) => [row[group.field], ...CSV_FIELDS.map((field) => row[field])]);
  downloadCsvFile(`report-${account}-by-${group.name}.csv`, [formatCsv([head, ...lines])]);
}
