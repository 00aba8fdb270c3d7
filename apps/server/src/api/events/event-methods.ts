import { parseListEvents, parseWatchEvents } from "@calltrack/domain";
import { EventService } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { describeMethods } from "../methods/method-row.js";

export const EVENT_METHODS = describeMethods(EventService, {
  listEvents: {
    access: { scope: "read", reach: "account" },
    account: "named or all",
    parse: parseListEvents,
  },
  watchEvents: {
    access: { scope: "read", reach: "account" },
    account: "named or all",
    parse: parseWatchEvents,
  },
});
