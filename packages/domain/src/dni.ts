import { parseAccountReference } from "./account.js";
import { readTime } from "./call.js";
import { reportFuture } from "./call-progress.js";
import { FieldCheck } from "./field-check.js";
import type { ResolveCallRequest, ResolveNumbersRequest } from "./gen/calltracking/v1/dni_pb.js";
import { phoneNumberProblem } from "./telephony.js";
import { nameProblem, tokenProblem } from "./text.js";

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
    source: check.optional("source", request.source || undefined, nameProblem),
    medium: check.optional("medium", request.medium || undefined, nameProblem),
  });
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
