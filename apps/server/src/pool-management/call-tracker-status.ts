import { CallTrackerStatus } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import { createStoredEnum } from "../database/stored-enum.js";

export const CALL_TRACKER_STATUSES = createStoredEnum(CallTrackerStatus);
