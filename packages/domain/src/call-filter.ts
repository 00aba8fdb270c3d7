import { parseAccountReference } from "./account.js";
import { readTime, unknownOutcomeProblem } from "./call.js";
import { REJECT_REASONS, type RejectReason } from "./call-rejection.js";
import { FieldCheck } from "./field-check.js";
import type { CallOutcome, ExportCallsRequest, ListCallsRequest } from "./gen/calltracking/v1/call_pb.js";
import { MAX_PAGE_SIZE, parsePage } from "./page.js";
import { readOptionalSourceName } from "./source-name.js";
import { phoneNumberProblem } from "./telephony.js";
import { tokenProblem } from "./text.js";
import { parseUuid } from "./uuid.js";

/** The filter for a list or export of calls. Undefined fields match every call. */
export interface CallFilter {
  /** UUID in lower case. */
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

/** The page size defaults to 1000, the maximum, because the list grows with every call. Throws DomainError `FIELD_INVALID`. */
export function parseListCalls(request: ListCallsRequest) {
  const check = new FieldCheck();
  const account = parseAccountReference(check, request);
  const filter = readCallFilter(check, request);
  const { size = MAX_PAGE_SIZE, token } = parsePage(check, request);
  return check.done({ account, filter, page: { size, token } });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseExportCalls(request: ExportCallsRequest) {
  const check = new FieldCheck();
  return check.done({ account: parseAccountReference(check, request), filter: readCallFilter(check, request) });
}

/** Reads the interval from `from`, inclusive, to `to`, exclusive. An undefined bound leaves that side open. */
export function readInterval(
  check: FieldCheck,
  request: Pick<ListCallsRequest, "from" | "to">,
): Pick<CallFilter, "from" | "to"> {
  const from = readTime(check, "from", request.from);
  const to = readTime(check, "to", request.to);
  if (from !== undefined && to !== undefined && to < from) check.report("to", "must not be before from");
  return { from, to };
}

function readCallFilter(
  check: FieldCheck,
  request: Omit<ListCallsRequest | ExportCallsRequest, "$typeName">,
): CallFilter {
  const poolId = check.optional("pool_id", request.poolId, (id) => (parseUuid(id) ? undefined : "must be a UUID"));
  return {
    poolId: poolId && parseUuid(poolId),
    propertyToken: check.optional("property_token", request.propertyToken, tokenProblem),
    source: readOptionalSourceName(check, "source", request.source),
    medium: readOptionalSourceName(check, "medium", request.medium),
    outcome: check.optional("outcome", request.outcome, unknownOutcomeProblem),
    rejectReason: check.optional("reject_reason", request.rejectReason, rejectReasonProblem) as
      | RejectReason
      | undefined,
    callerNumber: check.optional("caller_number", request.callerNumber, phoneNumberProblem),
    ...readInterval(check, request),
  };
}

function rejectReasonProblem(reason: string): string | undefined {
  return REJECT_REASONS.some((each) => each === reason) ? undefined : `must be ${REJECT_REASONS.join(" or ")}`;
}
