import { FieldCheck } from "./field-check.js";
import {
  CallTrackerStatus,
  type FlagCallTrackerRequest,
  type GetCallTrackerRequest,
  type ListCallTrackersRequest,
  type UpdateCallTrackerRequest,
} from "./gen/calltracking/v1/call_tracker_pb.js";
import { parsePagination } from "./pagination.js";
import { parsePoolReference } from "./pool.js";
import { findDescriptionProblem, findLookupKeyProblem } from "./text.js";

/** The ids of a call tracker and its pool, and the token or id of its account. The ids may be texts that are not UUIDs. */
export type CallTrackerReference = ReturnType<typeof parseCallTrackerReference>;

/** A person's update of a call tracker. Each update activates the call tracker if it is available. */
export type CallTrackerUpdate = ReturnType<typeof parseUpdateCallTrackerRequest>;

/** @throws DomainError `FIELD_INVALID` */
export function parseCallTrackerReference(request: GetCallTrackerRequest | FlagCallTrackerRequest) {
  const check = new FieldCheck();
  return check.done(readName(check, request));
}

/** @throws DomainError `FIELD_INVALID` */
export function parseListCallTrackersRequest(request: ListCallTrackersRequest) {
  const check = new FieldCheck();
  return check.done({ ...parsePoolReference(check, request), page: parsePagination(check, request) });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseUpdateCallTrackerRequest(request: UpdateCallTrackerRequest) {
  const check = new FieldCheck();
  return check.done({
    ...readName(check, request),
    /** Whether the update activates the call tracker if it is flagged. */
    unflags: check.optional("status", request.status, findStatusProblem) === CallTrackerStatus.ACTIVE,
    /** The new description; undefined to keep the current one. */
    description: check.optional("description", request.description, findDescriptionProblem),
  });
}

function findStatusProblem(status: CallTrackerStatus): string | undefined {
  return status === CallTrackerStatus.ACTIVE
    ? undefined
    : "must be active or unset: to flag a call tracker, call FlagCallTracker (POST …:flag)";
}

function readName(check: FieldCheck, request: Omit<GetCallTrackerRequest, "$typeName">) {
  return {
    ...parsePoolReference(check, request),
    callTrackerId: check.required("call_tracker_id", request.callTrackerId, findLookupKeyProblem),
  };
}
