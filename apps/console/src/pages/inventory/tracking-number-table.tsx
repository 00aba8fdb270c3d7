import {
  InventoryService,
  type TrackingNumber,
  TrackingNumberState,
  TrackingNumberStateSchema,
} from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { useState } from "preact/hooks";
import { hasScope } from "../../api/caller-identity";
import { createApiClient } from "../../api/client";
import { createResourceKindEventFilter } from "../../events/event-filters";
import { formatEnumValueAsWords, listEnumValues } from "../../format/enum-text";
import { formatPhoneNumber } from "../../format/format-phone-number";
import { Badge, type BadgeKind } from "../../ui/badge";
import type { TableColumn } from "../../ui/data-table";
import { EmptyNotice } from "../../ui/empty-notice";
import { FilterBar } from "../../ui/filter-bar";
import { LocalTime } from "../../ui/local-time";
import { PagedTable } from "../../ui/paged-table";
import { usePagedList } from "../../ui/use-paged-list";
import { RetireNumberDialog } from "./retire-number-dialog";

const PAGE_SIZE = 500;

const STATES = listEnumValues<TrackingNumberState>(TrackingNumberStateSchema);

const STATE_OPTIONS = [["", "any"] as const, ...STATES.map(([name]) => [name, name] as const)];

const STATE_KINDS: Partial<Record<TrackingNumberState, BadgeKind>> = {
  [TrackingNumberState.FREE]: "good",
  [TrackingNumberState.RETIRING]: "warning",
};

interface TrackingNumbersProps {
  readonly areaCode: string;
  readonly onAreaCode: (areaCode: string) => void;
  readonly onRetired: () => void;
}

/** The tracking numbers in the inventory, with filters and a button that retires a number. */
export function TrackingNumberTable({ areaCode, onAreaCode, onRetired }: TrackingNumbersProps) {
  const [state, setState] = useState("");
  const [retiring, setRetiring] = useState<string>();
  const wanted = STATES.find(([name]) => name === state)?.[1];
  const list = usePagedList(
    `numbers ${areaCode} ${state}`,
    (pageToken, signal) => {
      const filters = { areaCode: areaCode || undefined, state: wanted };
      return createApiClient(InventoryService).listTrackingNumbers(
        { ...filters, pageSize: PAGE_SIZE, pageToken },
        { signal },
      );
    },
    { changedBy: createResourceKindEventFilter("tracking_number", "call_tracker") },
  );
  const finish = () => {
    list.reload();
    onRetired();
  };
  return (
    <>
      <FilterBar
        violations={list.failure?.violations}
        filters={[
          { label: "Area code", name: "area_code", inputMode: "numeric", value: areaCode, onChange: onAreaCode },
          { label: "State", value: state, onChange: setState, options: STATE_OPTIONS },
        ]}
      />
      <PagedTable
        label="Numbers"
        list={list}
        rowsOf={({ trackingNumbers }) => trackingNumbers}
        columns={hasScope("write") ? [...COLUMNS, retireColumn(setRetiring)] : COLUMNS}
        keyOf={({ phoneNumber }) => phoneNumber}
        empty={<EmptyNotice title="No number matches the filters" />}
      />
      {retiring !== undefined && (
        <RetireNumberDialog number={retiring} onClose={() => setRetiring(undefined)} onRetired={finish} />
      )}
    </>
  );
}

const COLUMNS: readonly TableColumn<TrackingNumber>[] = [
  { title: "Number", isHeader: true, cell: ({ phoneNumber }) => formatPhoneNumber(phoneNumber) },
  { title: "Area code", numeric: true, wideOnly: true, cell: ({ areaCode }) => areaCode },
  {
    title: "State",
    cell: ({ state }) => (
      <Badge kind={STATE_KINDS[state]}>{formatEnumValueAsWords(TrackingNumberStateSchema, state)}</Badge>
    ),
  },
  { title: "Rests until", wideOnly: true, cell: ({ restsUntil }) => <LocalTime value={restsUntil} /> },
  { title: "Last change", wideOnly: true, cell: ({ updatedAt }) => <LocalTime value={updatedAt} /> },
];

function retireColumn(onRetire: (number: string) => void): TableColumn<TrackingNumber> {
  return {
    title: "Action",
    cell: ({ phoneNumber, state, retiresImmediately }) =>
      state === TrackingNumberState.RETIRED || retiresImmediately ? (
        <span class="muted">–</span>
      ) : (
        <button type="button" class="small" aria-label={`Retire ${phoneNumber}`} onClick={() => onRetire(phoneNumber)}>
          Retire
        </button>
      ),
  };
}
