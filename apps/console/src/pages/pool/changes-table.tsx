import {
  type CallTrackerChange,
  type CallTrackerChangeKind,
  CallTrackerChangeKindSchema,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { enumText } from "../../format/enum-text";
import { phoneNumberText } from "../../format/phone-number-text";
import { Badge } from "../../ui/badge";
import { type Column, DataTable } from "../../ui/data-table";
import { Reason } from "../../ui/reason";
import { Source } from "../../ui/source";
import { Time } from "../../ui/time";

const kindText = (kind: CallTrackerChangeKind) => enumText(CallTrackerChangeKindSchema, kind);

const COLUMNS: readonly Column<CallTrackerChange>[] = [
  { title: "When", cell: ({ occurredAt }) => <Time value={occurredAt} /> },
  { title: "Change", cell: ({ kind }) => kindText(kind) },
  {
    title: "Number",
    isHeader: true,
    cell: ({ trackingNumber }) => (trackingNumber === "" ? "a free number" : phoneNumberText(trackingNumber)),
  },
  { title: "Source", cell: (change) => <Source {...change} /> },
  { title: "Why", wideOnly: true, cell: ({ reason }) => <Reason text={reason} /> },
];

const ANYWAY: Column<CallTrackerChange> = {
  title: "Cause",
  cell: ({ happensAnyway }) => (happensAnyway ? <Badge>happens anyway</Badge> : <Badge kind="good">this update</Badge>),
};

interface ChangesTableProps {
  readonly label: string;
  readonly changes: readonly CallTrackerChange[];
  /** Whether the changes are planned. The table then says which ones would happen without the update too. */
  readonly isPlan?: boolean;
}

export function ChangesTable({ label, changes, isPlan = false }: ChangesTableProps) {
  return (
    <DataTable
      label={label}
      columns={isPlan ? [...COLUMNS, ANYWAY] : COLUMNS}
      rows={changes}
      keyOf={(_, index) => String(index)}
    />
  );
}
