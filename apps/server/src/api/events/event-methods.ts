import { parseListEventsRequest, parseWatchEventsRequest } from "@calltrack/domain";
import { EventService } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { declareMethodRows } from "../methods/method-row.js";

export const EVENT_METHODS = declareMethodRows(EventService, {
  listEvents: {
    access: { scope: "read", reach: "account" },
    account: "named or all",
    parse: parseListEventsRequest,
  },
  watchEvents: {
    access: { scope: "read", reach: "account" },
    account: "named or all",
    parse: parseWatchEventsRequest,
  },
});
