import { parseAccountReference } from "./account.js";
import { readTime } from "./call.js";
import { EVENT_TYPES, type EventType } from "./event-type.js";
import { FieldCheck } from "./field-check.js";
import type { ListEventsRequest, WatchEventsRequest } from "./gen/calltracking/v1/event_pb.js";
import { parsePage } from "./page.js";
import { quote } from "./quote.js";

/** Default number of events in a page. */
const PAGE_SIZE = 100;

/** Where a list or stream of events begins, and which events it contains. */
export type EventQuery = ReturnType<typeof parseWatchEvents>;

/** @throws DomainError `FIELD_INVALID` */
export function parseListEvents(request: ListEventsRequest) {
  const check = new FieldCheck();
  const query = parseQuery(check, request, request.cursor);
  return check.done({ ...query, size: parsePage(check, request).size ?? PAGE_SIZE });
}

/** Without a cursor or a time, the stream begins with the next event. Throws DomainError `FIELD_INVALID`. */
export function parseWatchEvents(request: WatchEventsRequest) {
  const check = new FieldCheck();
  const { lastEventId } = request;
  // A browser that reconnects sends the same URL, with the id of the last event in a header.
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
  // Undefined for the events of all accounts.
  const account = request.accountId === undefined ? undefined : parseAccountReference(check, request);
  const from = readTime(check, "from", request.from);
  if (from !== undefined && cursor) check.report("from", "must not be set with cursor: send only one");
  return {
    account,
    from,
    /** Undefined to begin at `from`, or at the start of the log if that is undefined too. */
    cursor: cursor || undefined,
    /** Undefined for all types. */
    types: parseEventTypes(check, "types", request.types),
  };
}

/** Checks a list of event types such as `call.ended` or `call.*`, and expands it like `expandEventTypes`. */
export function parseEventTypes(
  check: FieldCheck,
  field: string,
  types: readonly string[],
): readonly EventType[] | undefined {
  types.forEach((type, index) => {
    if (matchingTypes(type).length === 0) check.report(`${field}[${index}]`, typeProblem(type));
  });
  return expandEventTypes(types);
}

/** Replaces `call.*` and the like in a list of event types by the types they stand for. Returns undefined for an empty list, which means all. */
export function expandEventTypes(types: readonly string[]): readonly EventType[] | undefined {
  return types.length === 0 ? undefined : [...new Set(types.flatMap(matchingTypes))];
}

function matchingTypes(type: string): EventType[] {
  return EVENT_TYPES.filter((each) => each === type || `${each.split(".")[0]}.*` === type);
}

function typeProblem(type: string): string {
  const kinds = [...new Set(EVENT_TYPES.map((each) => `${each.split(".")[0]}.*`))].join(", ");
  return `must be an event type such as call.ended, or one of ${kinds}, not ${quote(type)}`;
}
