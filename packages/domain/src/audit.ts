import { parseAccountReference } from "./account.js";
import { readTimestampField } from "./call.js";
import { FieldCheck } from "./field-check.js";
import type { ListAuditEntriesRequest } from "./gen/calltracking/v1/audit_pb.js";
import { MAX_PAGE_SIZE, parsePagination } from "./pagination.js";
import { findLookupKeyProblem } from "./text.js";
import { parseUuid } from "./uuid.js";

/** Which audit entries ListAuditEntries returns. A field that is undefined excludes no entry. */
export type AuditFilter = ReturnType<typeof parseListAuditEntriesRequest>["filter"];

/**
 * Converts UUIDs in the request to lower case, in which they are stored. The page size is 1000 by default, which is the maximum. Throws
 * DomainError `FIELD_INVALID`.
 */
export function parseListAuditEntriesRequest(request: ListAuditEntriesRequest) {
  const check = new FieldCheck();
  // Undefined if the request is for the entries that belong to no account.
  const account = request.accountId === undefined ? undefined : parseAccountReference(check, request);
  const filter = {
    resourceId: parseId(check, "resource_id", request.resourceId),
    actorId: parseId(check, "actor_id", request.actorId),
    /** The earliest time of an entry, inclusive. */
    since: readTimestampField(check, "since", request.since),
    /** The latest time of an entry, exclusive. */
    until: readTimestampField(check, "until", request.until),
  };
  const { size = MAX_PAGE_SIZE, token } = parsePagination(check, request);
  return check.done({ account, filter, page: { size, token } });
}

function parseId(check: FieldCheck, field: string, id: string | undefined): string | undefined {
  const given = check.optional(field, id, findLookupKeyProblem);
  return given && (parseUuid(given) ?? given);
}
