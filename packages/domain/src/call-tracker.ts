import { parseAccountReference } from "./account.js";
import { FieldCheck } from "./field-check.js";
import {
  CallTrackerStatus,
  type FlagCallTrackerRequest,
  type GetCallTrackerRequest,
  type ListCallTrackersRequest,
  type UpdateCallTrackerRequest,
} from "./gen/calltracking/v1/call_tracker_pb.js";
import { type PageRequest, parsePage } from "./page.js";
import { descriptionProblem, referenceProblem } from "./text.js";

/** Where a call tracker is. Ids that are no UUIDs are ones that nothing has. */
export interface CallTrackerName {
  /** The account's token or id. */
  readonly account: string;
  readonly poolId: string;
  readonly callTrackerId: string;
}

/** An update of a call tracker by a person: an available one becomes active. */
export interface CallTrackerUpdate extends CallTrackerName {
  /** Whether a flagged one becomes active, too. */
  readonly unflags: boolean;
  /** Undefined if it stays as it is. */
  readonly description: string | undefined;
}

/**
 * The call tracker to read or to flag.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseCallTrackerName(request: GetCallTrackerRequest | FlagCallTrackerRequest): CallTrackerName {
  const check = new FieldCheck();
  return check.done(readName(check, request));
}

/**
 * The pool and the part of its call trackers to read.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseListCallTrackers(request: ListCallTrackersRequest): {
  readonly account: string;
  readonly poolId: string;
  readonly page: PageRequest;
} {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    poolId: check.required("pool_id", request.poolId, referenceProblem),
    page: parsePage(check, request),
  });
}

/**
 * The update of a call tracker.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseUpdateCallTracker(request: UpdateCallTrackerRequest): CallTrackerUpdate {
  const check = new FieldCheck();
  return check.done({
    ...readName(check, request),
    unflags: check.optional("status", request.status, statusProblem) === CallTrackerStatus.ACTIVE,
    description: check.optional("description", request.description, descriptionProblem),
  });
}

function statusProblem(status: CallTrackerStatus): string | undefined {
  return status === CallTrackerStatus.ACTIVE
    ? undefined
    : "must be active or unset: to flag a call tracker, call FlagCallTracker (POST …:flag)";
}

function readName(
  check: FieldCheck,
  request: Partial<Record<"accountId" | "poolId" | "callTrackerId", string | undefined>>,
): CallTrackerName {
  return {
    account: parseAccountReference(check, request),
    poolId: check.required("pool_id", request.poolId, referenceProblem),
    callTrackerId: check.required("call_tracker_id", request.callTrackerId, referenceProblem),
  };
}
