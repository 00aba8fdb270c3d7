import { parseCallTrackerReference, parseListCallTrackers, parseUpdateCallTracker } from "@calltrack/domain";
import { CallTrackerService } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import { describeMethods, READS_ACCOUNT, WRITES_ACCOUNT } from "../methods/method-row.js";
import { CALL_TRACKERS } from "./call-tracker-repository.js";

export const CALL_TRACKER_METHODS = describeMethods(CallTrackerService, {
  getCallTracker: { ...READS_ACCOUNT, parse: parseCallTrackerReference },
  listCallTrackers: { namesEventCursor: true, ...READS_ACCOUNT, list: CALL_TRACKERS, parse: parseListCallTrackers },
  updateCallTracker: { ...WRITES_ACCOUNT, isConditional: true, audits: "call_tracker", parse: parseUpdateCallTracker },
  flagCallTracker: { ...WRITES_ACCOUNT, isConditional: true, audits: "call_tracker", parse: parseCallTrackerReference },
});
