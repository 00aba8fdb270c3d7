import { TrackingNumberCountSchema, TrackingNumberSchema } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import type { ResourceView } from "./resource-view.js";

/** How numbers of the inventory are shown. */
export const trackingNumberView: ResourceView<typeof TrackingNumberSchema> = {
  schema: TrackingNumberSchema,
  expendable: ["call_tracker_id", "updated_at", "created_at", "pool_id", "account_id", "rests_until"],
};

/** How counts of the inventory are shown. */
export const trackingNumberCountView: ResourceView<typeof TrackingNumberCountSchema> = {
  schema: TrackingNumberCountSchema,
  expendable: [],
};
