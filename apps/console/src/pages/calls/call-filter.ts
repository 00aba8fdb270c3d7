import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type CallOutcome, CallOutcomeSchema } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { enumEntries } from "../../format/enum-text";
import { typedNumber } from "../../format/phone-number-text";

/** The filters of calls that the page has, as they are in its address. */
export const FILTER_NAMES = ["source", "medium", "property", "outcome", "caller", "pool", "from", "to"] as const;

export type CallFilter = Readonly<Record<(typeof FILTER_NAMES)[number], string>>;

/** Reads the filters from the query of an address; unset ones are empty. */
export function readFilter(query: URLSearchParams): CallFilter {
  return Object.fromEntries(FILTER_NAMES.map((name) => [name, query.get(name) ?? ""])) as CallFilter;
}

/** The outcomes to choose from, by their names in the API. */
export const OUTCOMES = enumEntries<CallOutcome>(CallOutcomeSchema);

/** Returns the filters as fields of a request. Dates are the reader's local times. */
export function filterFields(filter: CallFilter) {
  const outcome = OUTCOMES.find(([name]) => name === filter.outcome)?.[1];
  return {
    ...(filter.source !== "" && { source: filter.source }),
    ...(filter.medium !== "" && { medium: filter.medium }),
    ...(filter.property !== "" && { propertyToken: filter.property }),
    ...(outcome !== undefined && { outcome }),
    ...(filter.caller !== "" && { callerNumber: typedNumber(filter.caller) }),
    ...(filter.pool !== "" && { poolId: filter.pool }),
    ...timeField("from", filter.from),
    ...timeField("to", filter.to),
  };
}

function timeField(name: "from" | "to", text: string) {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? {} : { [name]: timestampFromDate(time) };
}
