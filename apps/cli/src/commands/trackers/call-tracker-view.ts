import { CallTrackerSchema } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import { cellAt, type ResourceView, sourceCell } from "../../output/resource-view.js";

/** View of call trackers. Lists omit the pool and the original number, which all their call trackers share. */
export const callTrackerView: ResourceView<typeof CallTrackerSchema> = {
  schema: CallTrackerSchema,
  expendable: ["created_at", "description", "dropped_at", "id"],
  columns: {
    id: (row) => cellAt(row, "id"),
    number: (row) => cellAt(row, "tracking_number"),
    status: (row) => cellAt(row, "status"),
    source: sourceCell,
    description: (row) => cellAt(row, "description"),
    created_at: (row) => cellAt(row, "created_at"),
    dropped_at: (row) => cellAt(row, "dropped_at"),
  },
};
