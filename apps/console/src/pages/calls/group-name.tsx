import type { CallReportRow } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Group } from "./report-query";

interface GroupNameProps {
  readonly group: Group;
  readonly row: CallReportRow;
}

/** The name of a row's group, or text such as `no medium` for calls without one. Direct visits have the medium `(none)`. */
export function GroupName({ group, row }: GroupNameProps) {
  return <>{row[group.field] ?? <span class="muted">no {group.name}</span>}</>;
}
