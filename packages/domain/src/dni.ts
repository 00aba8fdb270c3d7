import { parseAccountReference } from "./account.js";
import { readTimestampField } from "./call.js";
import { rejectFutureTime } from "./call-progress.js";
import { FieldCheck } from "./field-check.js";
import type {
  ReportVisitRequest,
  ResolveCallRequest,
  ResolveNumbersRequest,
  ResolveVisitRequest,
} from "./gen/calltracking/v1/dni_pb.js";
import type { SourceMedium } from "./source-medium.js";
import { readOptionalSourceName, readSourceName } from "./source-name.js";
import { findPhoneNumberProblem } from "./telephony.js";
import { findNameProblem, findTokenProblem } from "./text.js";
import { readVisitEvidence, type VisitEvidence } from "./visit-evidence.js";

/** A property of an account, and the source and medium of a visitor to the property. */
export type ResolveNumbersQuery = ReturnType<typeof parseResolveNumbersRequest>;

/** @throws DomainError `FIELD_INVALID` */
export function parseResolveNumbersRequest(request: ResolveNumbersRequest) {
  const check = new FieldCheck();
  return check.done({
    /** The token or id of the account to which the property belongs. */
    account: parseAccountReference(check, request),
    propertyToken: check.required("property_token", request.propertyToken, findTokenProblem),
    /** Undefined, like `medium`, if the request does not state it. */
    source: readOptionalSourceName(check, "source", request.source || undefined),
    medium: readOptionalSourceName(check, "medium", request.medium || undefined),
  });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseResolveVisitRequest(request: ResolveVisitRequest) {
  const check = new FieldCheck();
  const account = parseAccountReference(check, request);
  const propertyToken = check.required("property_token", request.propertyToken, findTokenProblem);
  const { evidence } = request;
  if (evidence === undefined) check.report("evidence", "is required");
  return check.done({ account, propertyToken, evidence: readVisitEvidence(check, evidence) });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseReportVisitRequest(request: ReportVisitRequest) {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    eventId: check.required("event_id", request.eventId, findNameProblem),
    propertyToken: check.required("property_token", request.propertyToken, findTokenProblem),
    origin: readOrigin(check, request),
  });
}

function readOrigin(check: FieldCheck, { source, medium, evidence }: ReportVisitRequest): SourceMedium | VisitEvidence {
  const hasSource = source !== undefined || medium !== undefined;
  if (evidence === undefined && hasSource) {
    return { source: readSourceName(check, "source", source), medium: readSourceName(check, "medium", medium) };
  }
  if (evidence === undefined) check.report("evidence", "is required unless source and medium are set");
  else if (hasSource) check.report("evidence", "must not be set together with source or medium");
  return readVisitEvidence(check, evidence);
}

/** The `at` of the result is undefined if the call starts at the current time. Throws DomainError `FIELD_INVALID`. */
export function parseResolveCallRequest(request: ResolveCallRequest, now: Date) {
  const check = new FieldCheck();
  const trackingNumber = check.required("tracking_number", request.trackingNumber, findPhoneNumberProblem);
  const at = readTimestampField(check, "at", request.at);
  rejectFutureTime(check, "at", at, now);
  return check.done({ trackingNumber, at });
}
