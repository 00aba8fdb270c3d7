import { CallTrackerStatusSchema } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import type { RetiringCallTracker } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { enumText } from "../../format/enum-text";
import { phoneNumberText } from "../../format/phone-number-text";
import { type Column, DataTable } from "../../ui/data-table";
import { Reason } from "../../ui/reason";
import { Source } from "../../ui/source";
import { Time } from "../../ui/time";

const COLUMNS: readonly Column<RetiringCallTracker>[] = [
  { title: "Number", isHeader: true, cell: ({ trackingNumber }) => phoneNumberText(trackingNumber) },
  { title: "Status", cell: ({ status }) => enumText(CallTrackerStatusSchema, status) },
  { title: "Source", wideOnly: true, cell: (tracker) => <Source {...tracker} /> },
  { title: "Deletion", cell: ({ deletedAt }) => <Time value={deletedAt} none="unknown" /> },
  { title: "Why", wideOnly: true, cell: ({ reason }) => <Reason text={reason} /> },
];

/** The call trackers of a pool that will be deleted because their numbers are being retired. */
export function RetiringTable({ rows }: { readonly rows: readonly RetiringCallTracker[] }) {
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
