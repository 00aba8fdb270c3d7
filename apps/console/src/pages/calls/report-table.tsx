import type { CallReportRow } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { countText, durationText, rateText } from "../../format/number-text";
import { type Column, DataTable } from "../../ui/data-table";
import { GROUPINGS, type Grouping, groupText } from "./report-query";

/** The rows of a report. */
export function ReportTable({
  rows,
  grouping,
}: {
  readonly rows: readonly CallReportRow[];
  readonly grouping: Grouping;
}) {
  return (
    <DataTable
      label="Report"
      columns={columnsOf(grouping)}
      rows={rows}
      keyOf={(row) => groupText(grouping, row) + (row.source === undefined ? " none" : "")}
    />
  );
}

function columnsOf(grouping: Grouping): readonly Column<CallReportRow>[] {
  const title = GROUPINGS.find(([name]) => name === grouping)?.[1] ?? "";
  return [
    { title, isHeader: true, cell: (row) => groupText(grouping, row) },
    { title: "Calls", numeric: true, cell: ({ calls }) => countText(calls) },
    { title: "Answered", numeric: true, cell: ({ answered }) => countText(answered) },
    { title: "Missed", numeric: true, cell: ({ missed }) => countText(missed) },
    { title: "First calls", numeric: true, wideOnly: true, cell: ({ firstCalls }) => countText(firstCalls) },
    {
      title: "Average",
      numeric: true,
      wideOnly: true,
      cell: ({ averageSeconds }) => (averageSeconds === undefined ? "–" : durationText(Math.round(averageSeconds))),
    },
    { title: "Visits", numeric: true, cell: ({ visits }) => (visits === undefined ? "–" : countText(Number(visits))) },
    {
      title: "Calls per 100 visits",
      numeric: true,
      cell: ({ callsPer100Visits }) => (callsPer100Visits === undefined ? "–" : rateText(callsPer100Visits)),
    },
  ];
}
