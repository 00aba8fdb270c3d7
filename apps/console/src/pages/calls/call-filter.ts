import { type CallOutcome, CallOutcomeSchema } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { listEnumValues } from "../../format/enum-text";
import { stripSpaces } from "../../format/format-phone-number";
import { parseLocalTime } from "../../format/time-text";

export const CALL_OUTCOME_ENTRIES = listEnumValues<CallOutcome>(CallOutcomeSchema);

/** Converts the filters in the page's URL to request fields. Times in the URL are in the browser's time zone. */
export function parseCallFilters(query: URLSearchParams) {
  const text = (name: string) => query.get(name) || undefined;
  return {
    source: text("source"),
    medium: text("medium"),
    propertyToken: text("property"),
    outcome: CALL_OUTCOME_ENTRIES.find(([name]) => name === text("outcome"))?.[1],
    rejectReason: text("rejected"),
    callerNumber: stripSpaces(text("caller")) || undefined,
    poolId: text("pool"),
    from: parseLocalTime(text("from")),
    to: parseLocalTime(text("to")),
  };
}
