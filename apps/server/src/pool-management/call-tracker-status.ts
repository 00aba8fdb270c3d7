import { CallTrackerStatus } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import type { Selectable } from "kysely";
import type { CallTrackerTable } from "../database/tables/schema.js";

type Status = Selectable<CallTrackerTable>["status"];

const STATUSES = {
  available: CallTrackerStatus.AVAILABLE,
  active: CallTrackerStatus.ACTIVE,
  flagged: CallTrackerStatus.FLAGGED,
} as const satisfies Record<Status, CallTrackerStatus>;

/** Converts a stored status to the API's enum. */
export function callTrackerStatusOf(status: Status): CallTrackerStatus {
  return STATUSES[status];
}
