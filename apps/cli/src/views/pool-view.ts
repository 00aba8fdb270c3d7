import {
  CallTrackerChangeSchema,
  PoolExplanationSchema,
  PoolPlanSchema,
  PoolSchema,
  SourceExplanationSchema,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { cellAt, type ResourceView, sourceCell, type TableColumns } from "./resource-view.js";

/** How pools are shown. */
export const poolView: ResourceView<typeof PoolSchema> = {
  schema: PoolSchema,
  expendable: [
    ...["account_token", "updated_at", "original_number_id", "created_at", "property_token"],
    ...["is_prompted", "is_recorded", "is_dni", "utilization", "description", "area_code"],
  ],
};

const changeColumns: TableColumns = {
  at: (row) => cellAt(row, "occurred_at"),
  change: (row) => cellAt(row, "kind"),
  number: (row) => cellAt(row, "tracking_number"),
  source: sourceCell,
  reason: (row) => cellAt(row, "reason"),
};

/** How changes of call trackers are shown that have happened. */
export const pastChangeView: ResourceView<typeof CallTrackerChangeSchema> = {
  schema: CallTrackerChangeSchema,
  expendable: ["reason", "source"],
  columns: changeColumns,
};

/** How changes of call trackers are shown that are planned. */
export const plannedChangeView: ResourceView<typeof CallTrackerChangeSchema> = {
  schema: CallTrackerChangeSchema,
  expendable: ["number", "reason", "anyway"],
  columns: { ...changeColumns, anyway: (row) => (row.happens_anyway === true ? "yes" : "no") },
};

/** How the plan of a pool's update is shown, beside its changes. */
export const poolPlanView: ResourceView<typeof PoolPlanSchema> = { schema: PoolPlanSchema, expendable: [] };

/** How the explanation of a pool is shown, beside its sources. */
export const poolExplanationView: ResourceView<typeof PoolExplanationSchema> = {
  schema: PoolExplanationSchema,
  expendable: [],
};

/** How the sources of a pool are shown. */
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
