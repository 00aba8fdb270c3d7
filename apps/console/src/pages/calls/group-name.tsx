import type { CallReportRow } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Group } from "./report-query";

interface GroupNameProps {
  readonly group: Group;
  readonly row: CallReportRow;
}

/** The name of a row's group. Direct visits have the medium `(none)`, and calls without a source have no medium. */
export function GroupName({ group, row }: GroupNameProps) {
  return <>{row[group.field] ?? <span class="muted">no {group.name}</span>}</>;
}
