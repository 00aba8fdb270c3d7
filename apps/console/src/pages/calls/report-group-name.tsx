import type { CallReportRow } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { ReportGrouping } from "./report-query";

interface GroupNameProps {
  readonly group: ReportGrouping;
  readonly row: CallReportRow;
}

/**
 * The name of the group in a report row. If the row has no group, shows text such as `no medium`. This text differs from `(none)`, which is the
 * medium of direct visits.
 */
export function ReportGroupName({ group, row }: GroupNameProps) {
  return <>{row[group.field] ?? <span class="muted">no {group.name}</span>}</>;
}
