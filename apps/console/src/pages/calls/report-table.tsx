import type { CallReportRow } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { countText, durationText, rateText } from "../../format/number-text";
import { type Column, DataTable } from "../../ui/data-table";
import { GroupName } from "./group-name";
import { type Group, groupKey } from "./report-query";

interface ReportTableProps {
  readonly rows: readonly CallReportRow[];
  readonly group: Group;
}

export function ReportTable({ rows, group }: ReportTableProps) {
  return <DataTable label="Report" columns={columnsOf(group)} rows={rows} keyOf={(row) => groupKey(group, row)} />;
}

function columnsOf(group: Group): readonly Column<CallReportRow>[] {
  return [
    { title: group.title, isHeader: true, cell: (row) => <GroupName group={group} row={row} /> },
    { title: "Calls", numeric: true, cell: ({ calls }) => countText(calls) },
    { title: "Answered", numeric: true, cell: ({ answered }) => countText(answered) },
    { title: "Missed", numeric: true, cell: ({ missed }) => countText(missed) },
    { title: "Abandoned", numeric: true, wideOnly: true, cell: ({ abandoned }) => countText(abandoned) },
    { title: "Outcome unknown", numeric: true, wideOnly: true, cell: ({ unknown }) => countText(unknown) },
    { title: "Voicemail", numeric: true, wideOnly: true, cell: ({ voicemail }) => countText(voicemail) },
    { title: "First-time callers", numeric: true, wideOnly: true, cell: ({ firstCalls }) => countText(firstCalls) },
    {
      title: "Average duration",
      numeric: true,
      wideOnly: true,
      cell: ({ averageSeconds }) => (averageSeconds === undefined ? "–" : durationText(Math.round(averageSeconds))),
    },
    { title: "Visits", numeric: true, cell: ({ visits }) => (visits === undefined ? "–" : countText(visits)) },
    {
      title: "Calls per 100 visits",
      numeric: true,
      cell: ({ callsPer100Visits }) => (callsPer100Visits === undefined ? "–" : rateText(callsPer100Visits)),
    },
  ];
}
