import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { parseAccountReference } from "./account.js";
import { FieldCheck } from "./field-check.js";
import type { ListAuditEntriesRequest } from "./gen/calltracking/v1/audit_pb.js";
import { MAX_PAGE_SIZE, parsePage } from "./page.js";
import { referenceProblem } from "./text.js";
import { parseUuid } from "./uuid.js";

/** The maximum of `google.protobuf.Timestamp`. */
const MAX_TIMESTAMP_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Restricts a list of audit entries. An undefined field does not filter. */
export interface AuditFilter {
  readonly resourceId: string | undefined;
  readonly actorId: string | undefined;
  /** Inclusive, in whole milliseconds. */
  readonly since: Date | undefined;
  /** Exclusive. */
  readonly until: Date | undefined;
}

/**
 * Parses a request to list audit entries. UUIDs are converted to lower case, as they are stored. The page size defaults
 * to 1000, the maximum.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseListAuditEntries(request: ListAuditEntriesRequest) {
  const check = new FieldCheck();
  // Undefined for entries that belong to no account.
  const account = request.accountId === undefined ? undefined : parseAccountReference(check, request);
  const filter = {
    resourceId: parseId(check, "resource_id", request.resourceId),
    actorId: parseId(check, "actor_id", request.actorId),
    since: parseTime(check, "since", request.since),
    until: parseTime(check, "until", request.until),
  };
  const { size = MAX_PAGE_SIZE, token } = parsePage(check, request);
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
  return at >= 0 && at <= MAX_TIMESTAMP_MS ? undefined : "must be a time between the years 1970 and 9999";
}
