import {
  parseCallTrackerReference,
  parseListCallTrackersRequest,
  parseUpdateCallTrackerRequest,
} from "@calltrack/domain";
import { CallTrackerService } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import { ACCOUNT_READ_METHOD, ACCOUNT_WRITE_METHOD, declareMethodRows } from "../methods/method-row.js";
import { CALL_TRACKER_PAGED_LIST } from "./call-tracker-repository.js";

export const CALL_TRACKER_METHODS = declareMethodRows(CallTrackerService, {
  getCallTracker: { ...ACCOUNT_READ_METHOD, parse: parseCallTrackerReference },
  listCallTrackers: {
    namesEventCursor: true,
    ...ACCOUNT_READ_METHOD,
    list: CALL_TRACKER_PAGED_LIST,
    parse: parseListCallTrackersRequest,
  },
  updateCallTracker: {
    ...ACCOUNT_WRITE_METHOD,
    isConditional: true,
    audits: "call_tracker",
    parse: parseUpdateCallTrackerRequest,
  },
  flagCallTracker: {
    ...ACCOUNT_WRITE_METHOD,
    isConditional: true,
    audits: "call_tracker",
    parse: parseCallTrackerReference,
  },
});
