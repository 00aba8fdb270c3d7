import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { parseAccountReference } from "./account.js";
import { readTimestampField } from "./call.js";
import { EVENT_TYPES, type EventType } from "./event-type.js";
import { FieldCheck } from "./field-check.js";
import type { ListEventsRequest, WatchEventsRequest } from "./gen/calltracking/v1/event_pb.js";
import { parsePagination } from "./pagination.js";
import { quoteValue } from "./quote-value.js";

/** The number of events on a page if the request does not state one. */
const PAGE_SIZE = 100;

/** The start position in the event log and the filter of a list or stream of events. */
export type EventQuery = ReturnType<typeof parseWatchEventsRequest>;

/** @throws DomainError `FIELD_INVALID` */
export function parseListEventsRequest(request: ListEventsRequest) {
  const check = new FieldCheck();
  const query = parseQuery(check, request, request.cursor);
  return check.done({ ...query, size: parsePagination(check, request).size ?? PAGE_SIZE });
}

/** If the request has neither a cursor nor a time, the stream begins with the next event that happens. Throws DomainError `FIELD_INVALID`. */
export function parseWatchEventsRequest(request: WatchEventsRequest) {
  const check = new FieldCheck();
  const { lastEventId } = request;
  // A browser that reconnects requests the same URL again, and sends the id of the last event in the Last-Event-ID header. This id takes precedence
  // over the start position in the URL.
  const query = parseQuery(
    check,
    lastEventId ? { ...request, from: undefined } : request,
    lastEventId || request.cursor,
  );
  return check.done(query.from === undefined ? { ...query, cursor: query.cursor ?? "now" } : query);
}

function parseQuery(
  check: FieldCheck,
  request: Pick<ListEventsRequest, "accountId" | "from" | "types">,
  cursor: string | undefined,
) {
  // Undefined if the request is for the events of all accounts.
  const account = request.accountId === undefined ? undefined : parseAccountReference(check, request);
  const from = readEventTimeField(check, "from", request.from);
  if (from !== undefined && cursor) check.report("from", "must not be set with cursor: send only one");
  return {
    account,
    /** In microseconds since 1970. */
    from,
    /** Undefined to begin at the time `from`, or at the start of the log if `from` is also undefined. */
    cursor: cursor || undefined,
    /** Undefined if the request is for events of all types. */
    types: parseEventTypes(check, "types", request.types),
  };
}

/**
 * Converts a timestamp field to microseconds since 1970, in which events have their times; undefined if it is unset. Rounds up, so that no event
 * before the time is at or after the result. Reports a violation for years outside 1970 to 9999.
 */
export function readEventTimeField(check: FieldCheck, field: string, time: Timestamp | undefined): bigint | undefined {
  if (time === undefined) return undefined;
  readTimestampField(check, field, time);
  return time.seconds * 1_000_000n + BigInt(Math.ceil(time.nanos / 1000));
}

/** Checks a list of event types such as `call.ended` or `call.*`, and returns the types that `expandEventTypes` finds. */
export function parseEventTypes(
  check: FieldCheck,
  field: string,
  types: readonly string[],
): readonly EventType[] | undefined {
  types.forEach((type, index) => {
    if (matchingTypes(type).length === 0) check.report(`${field}[${index}]`, findTypeProblem(type));
  });
  return expandEventTypes(types);
}

/** Replaces each entry such as `call.*` with the matching event types. Returns undefined for an empty list, which means all types. */
export function expandEventTypes(types: readonly string[]): readonly EventType[] | undefined {
  return types.length === 0 ? undefined : [...new Set(types.flatMap(matchingTypes))];
}

function matchingTypes(type: string): EventType[] {
  return EVENT_TYPES.filter((each) => each === type || `${each.split(".")[0]}.*` === type);
}

function findTypeProblem(type: string): string {
  const kinds = [...new Set(EVENT_TYPES.map((each) => `${each.split(".")[0]}.*`))].join(", ");
  return `must be an event type such as call.ended, or one of ${kinds}, not ${quoteValue(type)}`;
}
