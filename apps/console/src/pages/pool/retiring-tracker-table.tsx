import { CallTrackerStatusSchema } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import type { RetiringCallTracker } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { formatEnumValueAsWords } from "../../format/enum-text";
import { formatPhoneNumber } from "../../format/format-phone-number";
import { DataTable, type TableColumn } from "../../ui/data-table";
import { LocalTime } from "../../ui/local-time";
import { ReasonText } from "../../ui/reason-text";
import { SourceText } from "../../ui/source-text";

const COLUMNS: readonly TableColumn<RetiringCallTracker>[] = [
  { title: "Number", isHeader: true, cell: ({ trackingNumber }) => formatPhoneNumber(trackingNumber) },
  { title: "Status", cell: ({ status }) => formatEnumValueAsWords(CallTrackerStatusSchema, status) },
  { title: "Source", wideOnly: true, cell: (tracker) => <SourceText {...tracker} /> },
  { title: "Deletion", cell: ({ deletedAt }) => <LocalTime value={deletedAt} none="unknown" /> },
  { title: "Why", wideOnly: true, cell: ({ reason }) => <ReasonText text={reason} /> },
];

/** The call trackers of a pool that will be deleted because their numbers are being retired. */
export function RetiringTrackerTable({ rows }: { readonly rows: readonly RetiringCallTracker[] }) {
  return (
    <>
      <h2>Numbers being retired</h2>
      <DataTable
        label="Numbers being retired"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ callTrackerId }) => callTrackerId}
      />
    </>
  );
}
