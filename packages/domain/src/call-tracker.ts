import { parseAccountReference } from "./account.js";
import { FieldCheck } from "./field-check.js";
import {
  CallTrackerStatus,
  type FlagCallTrackerRequest,
  type GetCallTrackerRequest,
  type ListCallTrackersRequest,
  type UpdateCallTrackerRequest,
} from "./gen/calltracking/v1/call_tracker_pb.js";
import { parsePage } from "./page.js";
import { descriptionProblem, referenceProblem } from "./text.js";

/** Identifies a call tracker. An id that is not a UUID matches nothing. */
export interface CallTrackerReference {
  /** The account's token or id. */
  readonly account: string;
  readonly poolId: string;
  readonly callTrackerId: string;
}

/** An update of a call tracker by a person. It activates an available tracker. */
export interface CallTrackerUpdate extends CallTrackerReference {
  /** Whether the update also activates a flagged tracker. */
  readonly unflags: boolean;
  /** Undefined to keep the current description. */
  readonly description: string | undefined;
}

/**
 * Parses a request to get or flag a call tracker.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseCallTrackerReference(
  request: GetCallTrackerRequest | FlagCallTrackerRequest,
): CallTrackerReference {
  const check = new FieldCheck();
  return check.done(readName(check, request));
}

/**
 * Parses a request to list the call trackers of a pool.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseListCallTrackers(request: ListCallTrackersRequest) {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    poolId: check.required("pool_id", request.poolId, referenceProblem),
    page: parsePage(check, request),
  });
}

/**
 * Parses a request to update a call tracker.
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
): CallTrackerReference {
  return {
    account: parseAccountReference(check, request),
    poolId: check.required("pool_id", request.poolId, referenceProblem),
    callTrackerId: check.required("call_tracker_id", request.callTrackerId, referenceProblem),
  };
}
