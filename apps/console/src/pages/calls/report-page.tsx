import { type CallReportRow, CallReportRowSchema, CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { api } from "../../api/client";
import { serverTime } from "../../api/clock";
import { useLoad } from "../../api/use-load";
import { eventsAbout } from "../../events/event-filters";
import { csvLines } from "../../format/csv";
import { saveFile } from "../../format/save-file";
import { route, setQuery } from "../../routing/route";
import { Empty } from "../../ui/empty";
import { Filters } from "../../ui/filters";
import { Loading } from "../../ui/loading";
import { AccountFrame } from "../account-frame";
import { BarChart } from "./bar-chart";
import { DayChart } from "./day-chart";
import { GROUPS, type Group, lastDays, type ReportDays, reportFields, withEmptyDays } from "./report-query";
import { ReportTable } from "./report-table";

const GROUP_OPTIONS = GROUPS.map(({ name, title }) => [name, title] as const);

/** The report of an account: calls and visits by source, medium, channel, property or day. */
export function ReportPage({ account }: { readonly account: string }) {
  const { query } = route.value;
  const group = GROUPS.find(({ name }) => name === query.get("by")) ?? GROUPS[0];
  const clock = useLoad("clock", serverTime);
  return (
    <AccountFrame account={account} current="report">
      <Loading of={clock} what="the report">
        {(now) => {
          const last = lastDays(now);
          const days = { from: dayOf(query.get("from")) ?? last.from, to: dayOf(query.get("to")) ?? last.to };
          return (
            <>
              <Filters
                filters={[
                  { label: "Group by", value: group.name, onChange: (by) => setQuery({ by }), options: GROUP_OPTIONS },
                  { label: "From (UTC day)", type: "date", value: days.from, onChange: (from) => setQuery({ from }) },
                  { label: "To (UTC day)", type: "date", value: days.to, onChange: (to) => setQuery({ to }) },
                ]}
              />
              <Report account={account} group={group} days={days} />
            </>
          );
        }}
      </Loading>
    </AccountFrame>
  );
}

/** Returns undefined if the text is not a day in the form `YYYY-MM-DD`. */
function dayOf(text: string | null): string | undefined {
  return text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

interface ReportProps {
  readonly account: string;
  readonly group: Group;
  readonly days: ReportDays;
}

function Report({ account, group, days }: ReportProps) {
  const loaded = useLoad(
    `report ${account} ${group.name} ${days.from} ${days.to}`,
    (signal) => api(CallService).reportCalls({ accountId: account, ...reportFields(group, days) }, { signal }),
    { changedBy: eventsAbout("call") },
  );
  return (
    <Loading of={loaded} what="the report">
      {({ rows }) =>
        rows.length === 0 ? (
          <Empty title="No calls or visits in this period" />
        ) : (
          <>
            {group.name === "day" ? (
              <DayChart days={withEmptyDays(rows, days)} />
            ) : (
              <BarChart rows={rows} group={group} />
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
    </Loading>
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

function download(account: string, group: Group, rows: readonly CallReportRow[]): void {
  const head = [group.name, ...CSV_FIELDS.map((field) => CallReportRowSchema.field[field].name)];
  const lines = rows.map((row) => [row[group.field], ...CSV_FIELDS.map((field) => row[field])]);
  saveFile(`report-${account}-by-${group.name}.csv`, [csvLines([head, ...lines])]);
}
