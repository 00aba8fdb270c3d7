import { type CallOutcome, CallOutcomeSchema } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { enumEntries } from "../../format/enum-text";
import { stripSpaces } from "../../format/phone-number-text";
import { parseLocalTime } from "../../format/time-text";

export const OUTCOMES = enumEntries<CallOutcome>(CallOutcomeSchema);

/** Converts the filters in a URL's query to request fields. Their times are in the browser's time zone. */
export function filterFields(query: URLSearchParams) {
  const text = (name: string) => query.get(name) || undefined;
  return {
    source: text("source"),
    medium: text("medium"),
    propertyToken: text("property"),
    outcome: OUTCOMES.find(([name]) => name === text("outcome"))?.[1],
    rejectReason: text("rejected"),
    callerNumber: stripSpaces(text("caller")) || undefined,
    poolId: text("pool"),
    from: parseLocalTime(text("from")),
    to: parseLocalTime(text("to")),
  };
}
