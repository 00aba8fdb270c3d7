import { parseAccountReference } from "./account.js";
import { readTime } from "./call.js";
import { FieldCheck } from "./field-check.js";
import type { ListAuditEntriesRequest } from "./gen/calltracking/v1/audit_pb.js";
import { MAX_PAGE_SIZE, parsePage } from "./page.js";
import { referenceProblem } from "./text.js";
import { parseUuid } from "./uuid.js";

/** The filter for a list of audit entries. Undefined fields do not filter. */
export type AuditFilter = ReturnType<typeof parseListAuditEntries>["filter"];

/**
 * Parses a request to list audit entries. Converts UUIDs to lower case, in which they are stored. The page size defaults to 1000, the
 * maximum. Throws DomainError `FIELD_INVALID`.
 */
export function parseListAuditEntries(request: ListAuditEntriesRequest) {
  const check = new FieldCheck();
  // Undefined for entries that belong to no account.
  const account = request.accountId === undefined ? undefined : parseAccountReference(check, request);
  const filter = {
    resourceId: parseId(check, "resource_id", request.resourceId),
    actorId: parseId(check, "actor_id", request.actorId),
    /** Inclusive. */
    since: readTime(check, "since", request.since),
    /** Exclusive. */
    until: readTime(check, "until", request.until),
  };
  const { size = MAX_PAGE_SIZE, token } = parsePage(check, request);
  return check.done({ account, filter, page: { size, token } });
}

function parseId(check: FieldCheck, field: string, id: string | undefined): string | undefined {
  const given = check.optional(field, id, referenceProblem);
  return given && (parseUuid(given) ?? given);
}
