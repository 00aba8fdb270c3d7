import { type CallOutcome, CallOutcomeSchema } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { enumEntries } from "../../format/enum-text";
import { typedNumber } from "../../format/phone-number-text";
import { typedTime } from "../../format/time-text";

/** The outcomes to choose from, by their names in the API. */
export const OUTCOMES = enumEntries<CallOutcome>(CallOutcomeSchema);

/** Returns the filters in the query of an address as fields of a request. Their dates are the reader's local times. */
export function filterFields(query: URLSearchParams) {
  const text = (name: string) => query.get(name) || undefined;
  return {
    source: text("source"),
    medium: text("medium"),
    propertyToken: text("property"),
    outcome: OUTCOMES.find(([name]) => name === text("outcome"))?.[1],
    rejectReason: text("rejected"),
    callerNumber: typedNumber(text("caller")) || undefined,
    poolId: text("pool"),
    from: typedTime(text("from")),
    to: typedTime(text("to")),
  };
}
