import { parseAccountReference } from "./account.js";
import { findCallOutcomeProblem, readTimestampField } from "./call.js";
import { REJECT_REASONS, type RejectReason } from "./call-rejection.js";
import { FieldCheck } from "./field-check.js";
import type { CallOutcome, ExportCallsRequest, ListCallsRequest } from "./gen/calltracking/v1/call_pb.js";
import { MAX_PAGE_SIZE, parsePagination } from "./pagination.js";
import { readOptionalSourceName } from "./source-name.js";
import { findPhoneNumberProblem } from "./telephony.js";
import { findTokenProblem } from "./text.js";
import { parseUuid } from "./uuid.js";

/** The criteria by which a list or an export selects calls. A field that is undefined excludes no call. */
export interface CallFilter {
  /** A UUID in lower case. */
  readonly poolId: string | undefined;
  readonly propertyToken: string | undefined;
  readonly source: string | undefined;
  readonly medium: string | undefined;
  readonly outcome: CallOutcome | undefined;
  readonly rejectReason: RejectReason | undefined;
  readonly callerNumber: string | undefined;
  /** Inclusive lower bound of the start time, in whole milliseconds. */
  readonly from: Date | undefined;
  /** Exclusive upper bound of the start time, in whole milliseconds. */
  readonly to: Date | undefined;
}

/** Limits a page to 1000 calls by default, because the list grows with every call. Throws DomainError `FIELD_INVALID`. */
export function parseListCallsRequest(request: ListCallsRequest) {
  const check = new FieldCheck();
  const account = parseAccountReference(check, request);
  const filter = readCallFilter(check, request);
  const { size = MAX_PAGE_SIZE, token } = parsePagination(check, request);
  return check.done({ account, filter, page: { size, token } });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseExportCallsRequest(request: ExportCallsRequest) {
  const check = new FieldCheck();
  return check.done({ account: parseAccountReference(check, request), filter: readCallFilter(check, request) });
}

/** Reads the range of start times from `from`, inclusive, to `to`, exclusive. If either is undefined, the range has no limit on that side. */
export function readCallTimeRange(
  check: FieldCheck,
  request: Pick<ListCallsRequest, "from" | "to">,
): Pick<CallFilter, "from" | "to"> {
  const from = readTimestampField(check, "from", request.from);
  const to = readTimestampField(check, "to", request.to);
  if (from !== undefined && to !== undefined && to < from) check.report("to", "must not be before the time in from");
  return { from, to };
}

function readCallFilter(
  check: FieldCheck,
  request: Omit<ListCallsRequest | ExportCallsRequest, "$typeName">,
): CallFilter {
  const poolId = check.optional("pool_id", request.poolId, (id) => (parseUuid(id) ? undefined : "must be a UUID"));
  return {
    poolId: poolId && parseUuid(poolId),
    propertyToken: check.optional("property_token", request.propertyToken, findTokenProblem),
    source: readOptionalSourceName(check, "source", request.source),
    medium: readOptionalSourceName(check, "medium", request.medium),
    outcome: check.optional("outcome", request.outcome, findCallOutcomeProblem),
    rejectReason: check.optional("reject_reason", request.rejectReason, findRejectReasonProblem) as
      | RejectReason
      | undefined,
    callerNumber: check.optional("caller_number", request.callerNumber, findPhoneNumberProblem),
    ...readCallTimeRange(check, request),
  };
}

function findRejectReasonProblem(reason: string): string | undefined {
  return REJECT_REASONS.some((each) => each === reason) ? undefined : `must be ${REJECT_REASONS.join(" or ")}`;
}
