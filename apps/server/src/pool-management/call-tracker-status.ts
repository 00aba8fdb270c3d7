import { CallTrackerStatus } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import { storedEnum } from "../database/stored-enum.js";

export const CALL_TRACKER_STATUSES = storedEnum(CallTrackerStatus);
