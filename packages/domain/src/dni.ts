import { parseAccountReference } from "./account.js";
import { readTime } from "./call.js";
import { reportFuture } from "./call-progress.js";
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
import type { ReportedVisit } from "./traffic.js";
import { readEvidence, type VisitEvidence } from "./visit-evidence.js";

/** A visitor to a property. */
export interface Visitor {
  /** The token or id of the account that the property belongs to. */
  readonly account: string;
  readonly propertyToken: string;
  /** Undefined if unknown, as is `medium`. */
  readonly source: string | undefined;
  readonly medium: string | undefined;
}

/**
 * Parses a request for the numbers to show to a visitor.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseResolveNumbers(request: ResolveNumbersRequest): Visitor {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    propertyToken: check.required("property_token", request.propertyToken, tokenProblem),
    source: readOptionalSourceName(check, "source", request.source || undefined),
    medium: readOptionalSourceName(check, "medium", request.medium || undefined),
  });
}

/** A visitor to a property, as the page saw the visit. */
export interface SeenVisitor extends Pick<Visitor, "account" | "propertyToken"> {
  readonly evidence: VisitEvidence;
}

/**
 * Parses a request for the source of a visit and its numbers.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseResolveVisit(request: ResolveVisitRequest): SeenVisitor {
  const check = new FieldCheck();
  const account = parseAccountReference(check, request);
  const propertyToken = check.required("property_token", request.propertyToken, tokenProblem);
  const { evidence } = request;
  if (evidence === undefined) check.report("evidence", "is required");
  return check.done({ account, propertyToken, evidence: readEvidence(check, evidence) });
}

/** The report of a web page about its own visit: with its source, or with what the page saw of it. */
export interface VisitReport extends Omit<ReportedVisit, "source" | "medium"> {
  readonly origin: SourceMedium | VisitEvidence;
}

/**
 * Parses the report of a web page about its own visit.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseReportVisit(request: ReportVisitRequest): VisitReport {
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

/**
 * Parses a request that resolves a dialled tracking number. `at` is undefined for a call that starts now.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseResolveCall(
  request: ResolveCallRequest,
  now: Date,
): { readonly trackingNumber: string; readonly at: Date | undefined } {
  const check = new FieldCheck();
  const trackingNumber = check.required("tracking_number", request.trackingNumber, phoneNumberProblem);
  const at = readTime(check, "at", request.at);
  reportFuture(check, "at", at, now);
  return check.done({ trackingNumber, at });
}
