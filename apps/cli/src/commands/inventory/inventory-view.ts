import { TrackingNumberCountSchema, TrackingNumberSchema } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import type { ResourceView } from "../../output/resource-view.js";

/** View of tracking numbers. */
export const trackingNumberView: ResourceView<typeof TrackingNumberSchema> = {
  schema: TrackingNumberSchema,
  expendable: ["call_tracker_id", "updated_at", "created_at", "pool_id", "account_id", "rests_until"],
};

/** View of counts of tracking numbers. */
export const trackingNumberCountView: ResourceView<typeof TrackingNumberCountSchema> = {
  schema: TrackingNumberCountSchema,
  expendable: [],
};
