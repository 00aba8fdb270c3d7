import { FieldCheck } from "./field-check.js";
import {
  CallTrackerStatus,
  type FlagCallTrackerRequest,
  type GetCallTrackerRequest,
  type ListCallTrackersRequest,
  type UpdateCallTrackerRequest,
} from "./gen/calltracking/v1/call_tracker_pb.js";
import { parsePage } from "./page.js";
import { parsePoolReference } from "./pool.js";
import { descriptionProblem, referenceProblem } from "./text.js";

/** The ids of a call tracker, its pool and its account. An id that is not a UUID matches nothing. */
export type CallTrackerReference = ReturnType<typeof parseCallTrackerReference>;

/** An update that a person makes to a call tracker. It activates an available call tracker. */
export type CallTrackerUpdate = ReturnType<typeof parseUpdateCallTracker>;

/** @throws DomainError `FIELD_INVALID` */
export function parseCallTrackerReference(request: GetCallTrackerRequest | FlagCallTrackerRequest) {
  const check = new FieldCheck();
  return check.done(readName(check, request));
}

/** @throws DomainError `FIELD_INVALID` */
export function parseListCallTrackers(request: ListCallTrackersRequest) {
  const check = new FieldCheck();
  return check.done({ ...parsePoolReference(check, request), page: parsePage(check, request) });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseUpdateCallTracker(request: UpdateCallTrackerRequest) {
  const check = new FieldCheck();
  return check.done({
    ...readName(check, request),
    /** Whether the update activates even a flagged call tracker. */
    unflags: check.optional("status", request.status, statusProblem) === CallTrackerStatus.ACTIVE,
    /** Undefined to keep the current description. */
    description: check.optional("description", request.description, descriptionProblem),
  });
}

function statusProblem(status: CallTrackerStatus): string | undefined {
  return status === CallTrackerStatus.ACTIVE
    ? undefined
    : "must be active or unset: to flag a call tracker, call FlagCallTracker (POST …:flag)";
}

function readName(check: FieldCheck, request: Omit<GetCallTrackerRequest, "$typeName">) {
  return {
    ...parsePoolReference(check, request),
    callTrackerId: check.required("call_tracker_id", request.callTrackerId, referenceProblem),
  };
}
