import {
  type CallTrackerChange,
  type CallTrackerChangeKind,
  CallTrackerChangeKindSchema,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { formatEnumValueAsWords } from "../../format/enum-text";
import { formatPhoneNumber } from "../../format/format-phone-number";
import { Badge } from "../../ui/badge";
import { DataTable, type TableColumn } from "../../ui/data-table";
import { LocalTime } from "../../ui/local-time";
import { ReasonText } from "../../ui/reason-text";
import { SourceText } from "../../ui/source-text";

const kindText = (kind: CallTrackerChangeKind) => formatEnumValueAsWords(CallTrackerChangeKindSchema, kind);

const COLUMNS: readonly TableColumn<CallTrackerChange>[] = [
  { title: "When", cell: ({ occurredAt }) => <LocalTime value={occurredAt} /> },
  { title: "Change", cell: ({ kind }) => kindText(kind) },
  {
    title: "Number",
    isHeader: true,
    cell: ({ trackingNumber }) => (trackingNumber === "" ? "a free number" : formatPhoneNumber(trackingNumber)),
  },
  { title: "Source", cell: (change) => <SourceText {...change} /> },
  { title: "Why", wideOnly: true, cell: ({ reason }) => <ReasonText text={reason} /> },
];

const CAUSE_COLUMN: TableColumn<CallTrackerChange> = {
  title: "Cause",
  cell: ({ happensAnyway }) => (happensAnyway ? <Badge>happens anyway</Badge> : <Badge kind="good">this update</Badge>),
};

interface ChangesTableProps {
  readonly label: string;
  readonly changes: readonly CallTrackerChange[];
  /** Whether the changes are planned. If so, the table says which of them would happen even without the update. */
  readonly isPlan?: boolean;
}

export function CallTrackerChangeTable({ label, changes, isPlan = false }: ChangesTableProps) {
  return (
    <DataTable
      label={label}
      columns={isPlan ? [...COLUMNS, CAUSE_COLUMN] : COLUMNS}
      rows={changes}
      keyOf={(_, index) => String(index)}
    />
  );
}
