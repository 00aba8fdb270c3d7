import type { TrackingNumberCount } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { formatCount } from "../../format/number-text";
import { ChartLegend } from "../../ui/chart-legend";
import { DataTable, type TableColumn } from "../../ui/data-table";

const STATES = ["free", "resting", "assigned", "retiring", "retired"] as const;

interface AreaCodeTableProps {
  readonly counts: readonly TrackingNumberCount[];
  readonly onChoose: (areaCode: string) => void;
}

export function AreaCodeTable({ counts, onChoose }: AreaCodeTableProps) {
  const columns: readonly TableColumn<TrackingNumberCount>[] = [
    {
      title: "Area code",
      isHeader: true,
      cell: ({ areaCode }) => (
        <button type="button" class="link" onClick={() => onChoose(areaCode)}>
          {areaCode}
        </button>
      ),
    },
    { title: "States", wideOnly: true, cell: (count) => <StateBar count={count} /> },
    ...STATES.map((state) => ({
      title: state.charAt(0).toUpperCase() + state.slice(1),
      numeric: true,
      cell: (count: TrackingNumberCount) => formatCount(count[state]),
    })),
  ];
  return (
    <>
      <ChartLegend label="Legend of the states" marks={STATES.map((state) => [`state-${state}`, state])} />
      <DataTable label="Numbers by area code" columns={columns} rows={counts} keyOf={({ areaCode }) => areaCode} />
    </>
  );
}

function StateBar({ count }: { readonly count: TrackingNumberCount }) {
  const total = STATES.reduce((sum, state) => sum + count[state], 0);
  return (
    <span class="capacity-bar" aria-hidden="true">
      {STATES.map((state) => (
        <i key={state} class={`state-${state}`} style={{ width: `${(100 * count[state]) / Math.max(total, 1)}%` }} />
      ))}
    </span>
  );
}
