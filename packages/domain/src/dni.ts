import { FieldCheck } from "./field-check.js";
import type { ResolveCallRequest, ResolveNumbersRequest } from "./gen/calltracking/v1/dni_pb.js";
import { phoneNumberProblem } from "./telephony.js";
import { nameProblem, tokenProblem } from "./text.js";

/** A visitor to a property. */
export interface Visitor {
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
    propertyToken: check.required("property_token", request.propertyToken, tokenProblem),
    source: check.optional("source", request.source || undefined, nameProblem),
    medium: check.optional("medium", request.medium || undefined, nameProblem),
  });
}

/**
 * Parses a request that resolves a dialled tracking number.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseResolveCall(request: ResolveCallRequest): { readonly trackingNumber: string } {
  const check = new FieldCheck();
  return check.done({ trackingNumber: check.required("tracking_number", request.trackingNumber, phoneNumberProblem) });
}
