import {
  CallTrackerChangeSchema,
  PoolExplanationSchema,
  PoolPlanSchema,
  PoolSchema,
  SourceExplanationSchema,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Row } from "../../output/resource-row.js";
import { cellAt, type ResourceView, sourceCell, type TableColumns } from "../../output/resource-view.js";

/** View of pools. */
export const poolView: ResourceView<typeof PoolSchema> = {
  schema: PoolSchema,
  expendable: [
    ...["account_token", "updated_at", "created_at", "property_token"],
    ...["is_prompted", "is_recorded", "is_dni", "utilization", "description", "area_code"],
  ],
};

/**
 * Returns a view of a list of pools, with phone numbers instead of their ids.
 *
 * @param numbers phone numbers by id.
 */
export function poolListView(numbers: ReadonlyMap<string, string>): ResourceView<typeof PoolSchema> {
  const fields = ["size", "utilization", "property_token", "description", "is_dni", "is_prompted", "is_recorded"];
  const columns = [...fields, "created_at", "updated_at", "account_token"].map(
    (name) => [name, (row: Row) => cellAt(row, name)] as const,
  );
  return {
    ...poolView,
    columns: {
      id: (row) => cellAt(row, "id"),
      number: ({ original_number_id: id = null }) => numbers.get(String(id)) ?? id,
      area_code: (row) => cellAt(row, "area_code"),
      type: (row) => cellAt(row, "pool_type"),
      ...Object.fromEntries(columns),
    },
  };
}

const changeColumns: TableColumns = {
  at: (row) => cellAt(row, "occurred_at"),
  change: (row) => cellAt(row, "kind"),
  number: (row) => cellAt(row, "tracking_number"),
  source: sourceCell,
  reason: (row) => cellAt(row, "reason"),
};

/** View of past changes of call trackers. */
export const pastChangeView: ResourceView<typeof CallTrackerChangeSchema> = {
  schema: CallTrackerChangeSchema,
  expendable: ["reason", "source"],
  columns: changeColumns,
};

/** View of planned changes of call trackers. */
export const plannedChangeView: ResourceView<typeof CallTrackerChangeSchema> = {
  schema: CallTrackerChangeSchema,
  expendable: ["number", "reason", "anyway"],
  columns: { ...changeColumns, anyway: (row) => (row.happens_anyway === true ? "yes" : "no") },
};

/** View of a plan, without its changes. */
export const poolPlanView: ResourceView<typeof PoolPlanSchema> = { schema: PoolPlanSchema, expendable: [] };

/** View of a pool's explanation, without its sources. */
export const poolExplanationView: ResourceView<typeof PoolExplanationSchema> = {
  schema: PoolExplanationSchema,
  expendable: [],
};

/** View of the sources of a pool. */
export const sourceView: ResourceView<typeof SourceExplanationSchema> = {
  schema: SourceExplanationSchema,
  expendable: ["number", "rank", "status"],
  columns: {
    source: sourceCell,
    visits: (row) => cellAt(row, "visits"),
    rank: (row) => cellAt(row, "rank"),
    number: (row) => cellAt(row, "tracking_number"),
    status: (row) => cellAt(row, "status"),
    reason: (row) => cellAt(row, "reason"),
  },
};
