import {
  InventoryService,
  type TrackingNumber,
  TrackingNumberState,
  TrackingNumberStateSchema,
} from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { hasScope } from "../../api/identity";
import { eventsAbout } from "../../events/event-filters";
import { enumEntries, enumText } from "../../format/enum-text";
import { phoneNumberText } from "../../format/phone-number-text";
import { Badge, type BadgeKind } from "../../ui/badge";
import type { Column } from "../../ui/data-table";
import { Empty } from "../../ui/empty";
import { Filters } from "../../ui/filters";
import { PagedTable } from "../../ui/paged-table";
import { Time } from "../../ui/time";
import { usePagedList } from "../../ui/use-paged-list";
import { RetireDialog } from "./retire-dialog";

const PAGE_SIZE = 500;

const STATES = enumEntries<TrackingNumberState>(TrackingNumberStateSchema);

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
export function TrackingNumbers({ areaCode, onAreaCode, onRetired }: TrackingNumbersProps) {
  const [state, setState] = useState("");
  const [retiring, setRetiring] = useState<string>();
  const wanted = STATES.find(([name]) => name === state)?.[1];
  const list = usePagedList(
    `numbers ${areaCode} ${state}`,
    (pageToken, signal) => {
      const filters = { areaCode: areaCode || undefined, state: wanted };
      return api(InventoryService).listTrackingNumbers({ ...filters, pageSize: PAGE_SIZE, pageToken }, { signal });
    },
    { changedBy: eventsAbout("tracking_number", "call_tracker") },
  );
  const finish = () => {
    list.reload();
    onRetired();
  };
  return (
    <>
      <Filters
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
        empty={<Empty title="No number matches the filters" />}
      />
      {retiring !== undefined && (
        <RetireDialog number={retiring} onClose={() => setRetiring(undefined)} onRetired={finish} />
      )}
    </>
  );
}

const COLUMNS: readonly Column<TrackingNumber>[] = [
  { title: "Number", isHeader: true, cell: ({ phoneNumber }) => phoneNumberText(phoneNumber) },
  { title: "Area code", numeric: true, wideOnly: true, cell: ({ areaCode }) => areaCode },
  {
    title: "State",
    cell: ({ state }) => <Badge kind={STATE_KINDS[state]}>{enumText(TrackingNumberStateSchema, state)}</Badge>,
  },
  { title: "Rests until", wideOnly: true, cell: ({ restsUntil }) => <Time value={restsUntil} /> },
  { title: "Last change", wideOnly: true, cell: ({ updatedAt }) => <Time value={updatedAt} /> },
];

function retireColumn(onRetire: (number: string) => void): Column<TrackingNumber> {
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
