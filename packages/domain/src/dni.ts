import { parseAccountReference } from "./account.js";
import { readTime } from "./call.js";
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
import { phoneNumberProblem } from "./telephony.js";
import { nameProblem, tokenProblem } from "./text.js";
import { readEvidence, type VisitEvidence } from "./visit-evidence.js";

/** A visitor to a property. */
export type Visitor = ReturnType<typeof parseResolveNumbers>;

/** @throws DomainError `FIELD_INVALID` */
export function parseResolveNumbers(request: ResolveNumbersRequest) {
  const check = new FieldCheck();
  return check.done({
    /** The token or id of the account to which the property belongs. */
    account: parseAccountReference(check, request),
    propertyToken: check.required("property_token", request.propertyToken, tokenProblem),
    /** Undefined if unknown, like `medium`. */
    source: readOptionalSourceName(check, "source", request.source || undefined),
    medium: readOptionalSourceName(check, "medium", request.medium || undefined),
  });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseResolveVisit(request: ResolveVisitRequest) {
  const check = new FieldCheck();
  const account = parseAccountReference(check, request);
  const propertyToken = check.required("property_token", request.propertyToken, tokenProblem);
  const { evidence } = request;
  if (evidence === undefined) check.report("evidence", "is required");
  return check.done({ account, propertyToken, evidence: readEvidence(check, evidence) });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseReportVisit(request: ReportVisitRequest) {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    eventId: check.required("event_id", request.eventId, nameProblem),
    propertyToken: check.required("property_token", request.propertyToken, tokenProblem),
    origin: readOrigin(check, request),
  });
}

function readOrigin(check: FieldCheck, { source, medium, evidence }: ReportVisitRequest): SourceMedium | VisitEvidence {
  const hasSource = source !== undefined || medium !== undefined;
  if (evidence === undefined && hasSource) {
    return { source: readSourceName(check, "source", source), medium: readSourceName(check, "medium", medium) };
  }
  if (evidence === undefined) check.report("evidence", "is required, or source and medium instead");
  else if (hasSource) check.report("evidence", "must not be sent with source or medium");
  return readEvidence(check, evidence);
}

/** Returns undefined as `at` for a call that starts now. Throws DomainError `FIELD_INVALID`. */
export function parseResolveCall(request: ResolveCallRequest, now: Date) {
  const check = new FieldCheck();
  const trackingNumber = check.required("tracking_number", request.trackingNumber, phoneNumberProblem);
  const at = readTime(check, "at", request.at);
  rejectFutureTime(check, "at", at, now);
  return check.done({ trackingNumber, at });
}
