import type { CallReportRow } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { formatCount, formatDuration, formatRate } from "../../format/number-text";
import { DataTable, type TableColumn } from "../../ui/data-table";
import { ReportGroupName } from "./report-group-name";
import { getReportRowKey, type ReportGrouping } from "./report-query";

interface ReportTableProps {
  readonly rows: readonly CallReportRow[];
  readonly group: ReportGrouping;
}

export function ReportTable({ rows, group }: ReportTableProps) {
  return (
    <DataTable label="Report" columns={columnsOf(group)} rows={rows} keyOf={(row) => getReportRowKey(group, row)} />
  );
}

function columnsOf(group: ReportGrouping): readonly TableColumn<CallReportRow>[] {
  return [
    { title: group.title, isHeader: true, cell: (row) => <ReportGroupName group={group} row={row} /> },
    { title: "Calls", numeric: true, cell: ({ calls }) => formatCount(calls) },
    { title: "Answered", numeric: true, cell: ({ answered }) => formatCount(answered) },
    { title: "Missed", numeric: true, cell: ({ missed }) => formatCount(missed) },
    { title: "Abandoned", numeric: true, wideOnly: true, cell: ({ abandoned }) => formatCount(abandoned) },
    { title: "Outcome unknown", numeric: true, wideOnly: true, cell: ({ unknown }) => formatCount(unknown) },
    { title: "Voicemail", numeric: true, wideOnly: true, cell: ({ voicemail }) => formatCount(voicemail) },
    { title: "First-time callers", numeric: true, wideOnly: true, cell: ({ firstCalls }) => formatCount(firstCalls) },
    {
      title: "Average duration",
      numeric: true,
      wideOnly: true,
      cell: ({ averageSeconds }) => (averageSeconds === undefined ? "–" : formatDuration(Math.round(averageSeconds))),
    },
    { title: "Visits", numeric: true, cell: ({ visits }) => (visits === undefined ? "–" : formatCount(visits)) },
    {
      title: "Calls per 100 visits",
      numeric: true,
      cell: ({ callsPer100Visits }) => (callsPer100Visits === undefined ? "–" : formatRate(callsPer100Visits)),
    },
  ];
}
