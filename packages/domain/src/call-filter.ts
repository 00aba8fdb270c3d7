import { parseAccountReference } from "./account.js";
import { readTime, unknownOutcomeProblem } from "./call.js";
import { FieldCheck } from "./field-check.js";
import type { CallOutcome, ExportCallsRequest, ListCallsRequest } from "./gen/calltracking/v1/call_pb.js";
import { MAX_PAGE_SIZE, type PageRequest, parsePage } from "./page.js";
import { phoneNumberProblem } from "./telephony.js";
import { nameProblem, tokenProblem } from "./text.js";
import { parseUuid } from "./uuid.js";

/** Which calls are asked for; by what is undefined, all are. */
export interface CallFilter {
  /** A UUID in lower case. */
  readonly poolId: string | undefined;
  readonly propertyToken: string | undefined;
  readonly source: string | undefined;
  readonly medium: string | undefined;
  readonly outcome: CallOutcome | undefined;
  readonly callerNumber: string | undefined;
  /** The first moment, to the millisecond. */
  readonly from: Date | undefined;
  /** The first moment after the last one. */
  readonly to: Date | undefined;
}

/**
 * The calls to list. A page has at most 1000 calls, also where no size is asked for.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseListCalls(request: ListCallsRequest): {
  /** The token or the id of an account. */
  readonly account: string;
  readonly filter: CallFilter;
  readonly page: PageRequest;
} {
  const check = new FieldCheck();
  const account = parseAccountReference(check, request);
  const filter = readCallFilter(check, request);
  const { size = MAX_PAGE_SIZE, token } = parsePage(check, request);
  return check.done({ account, filter, page: { size, token } });
}

/**
 * The calls to export.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseExportCalls(request: ExportCallsRequest): {
  /** The token or the id of an account. */
  readonly account: string;
  readonly filter: CallFilter;
} {
  const check = new FieldCheck();
  return check.done({ account: parseAccountReference(check, request), filter: readCallFilter(check, request) });
}

/** Reads the half-open time from one moment to another; each may be undefined. */
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
    source: check.optional("source", request.source, nameProblem),
    medium: check.optional("medium", request.medium, nameProblem),
    outcome: check.optional("outcome", request.outcome, unknownOutcomeProblem),
    callerNumber: check.optional("caller_number", request.callerNumber, phoneNumberProblem),
    ...readInterval(check, request),
  };
}
