import {
  CallTrackerChangeSchema,
  PoolSchema,
  SourceExplanationSchema,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { formatSourceCell, type ResourceView, type TableCellSources } from "../../output/resource-view.js";

export const poolView: ResourceView<typeof PoolSchema> = {
  schema: PoolSchema,
  expendable: [
    ...["account_token", "updated_at", "created_at", "property_token"],
    ...["is_prompted", "is_recorded", "is_dni", "utilization", "description", "area_code"],
  ],
};

/** Creates a view that shows phone numbers instead of their ids. `numbers` contains the phone numbers, keyed by their ids. */
export function createPoolListView(numbers: ReadonlyMap<string, string>): ResourceView<typeof PoolSchema> {
  return {
    ...poolView,
    columns: [
      ...["id", "number", "area_code", "type", "size", "utilization", "property_token", "description"],
      ...["is_dni", "is_prompted", "is_recorded", "created_at", "updated_at", "account_token"],
    ],
    cells: {
      number: ({ original_number_id: id = null }) => numbers.get(String(id)) ?? id,
      type: "pool_type",
    },
  };
}

const changeColumns = ["at", "change", "number", "source", "reason"];
const changeCells: TableCellSources = {
  at: "occurred_at",
  change: "kind",
  number: "tracking_number",
  source: formatSourceCell,
};

export const pastTrackerChangeView: ResourceView<typeof CallTrackerChangeSchema> = {
  schema: CallTrackerChangeSchema,
  expendable: ["reason", "source"],
  columns: changeColumns,
  cells: changeCells,
};

export const plannedTrackerChangeView: ResourceView<typeof CallTrackerChangeSchema> = {
  schema: CallTrackerChangeSchema,
  expendable: ["number", "reason", "anyway"],
  columns: [...changeColumns, "anyway"],
  cells: { ...changeCells, anyway: (row) => (row.happens_anyway === true ? "yes" : "no") },
};

export const sourceExplanationView: ResourceView<typeof SourceExplanationSchema> = {
  schema: SourceExplanationSchema,
  expendable: ["number", "rank", "status"],
  columns: ["source", "visits", "rank", "number", "status", "reason"],
  cells: { source: formatSourceCell, number: "tracking_number" },
};
