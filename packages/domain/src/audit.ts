import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { parseAccountReference } from "./account.js";
import { FieldCheck } from "./field-check.js";
import type { ListAuditEntriesRequest } from "./gen/calltracking/v1/audit_pb.js";
import { LARGEST_PAGE, type PageRequest, parsePage } from "./page.js";
import { referenceProblem } from "./text.js";
import { parseUuid } from "./uuid.js";

/** The last moment of the year 9999. */
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Which changes are asked for; by what is undefined, all are. */
export interface AuditFilter {
  readonly resourceId: string | undefined;
  readonly actorId: string | undefined;
  /** The first moment, to the millisecond. */
  readonly since: Date | undefined;
  /** The first moment after the last one. */
  readonly until: Date | undefined;
}

/**
 * The part of the audit log to read. An id that is a UUID is in lower case, as ids are; a page has at most 1000 entries, also where
 * no size is asked for.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseListAuditEntries(request: ListAuditEntriesRequest): {
  /** The token or the id of an account. */
  readonly account: string | undefined;
  readonly filter: AuditFilter;
  readonly page: PageRequest;
} {
  const check = new FieldCheck();
  const account = request.accountId === undefined ? undefined : parseAccountReference(check, request);
  const filter = {
    resourceId: parseId(check, "resource_id", request.resourceId),
    actorId: parseId(check, "actor_id", request.actorId),
    since: parseTime(check, "since", request.since),
    until: parseTime(check, "until", request.until),
  };
  const { size = LARGEST_PAGE, token } = parsePage(check, request);
  return check.done({ account, filter, page: { size, token } });
}

function parseId(check: FieldCheck, field: string, id: string | undefined): string | undefined {
  const given = check.optional(field, id, referenceProblem);
  return given && (parseUuid(given) ?? given);
}

function parseTime(check: FieldCheck, field: string, time: Timestamp | undefined): Date | undefined {
  const given = check.optional(field, time, timeProblem);
  return given && timestampDate(given);
}

function timeProblem(time: Timestamp): string | undefined {
  const at = timestampDate(time).getTime();
  return at >= 0 && at <= LAST_MOMENT ? undefined : "must be a time between the years 1970 and 9999";
}
