import { FieldCheck } from "./field-check.js";
import {
  type AddTrackingNumbersRequest,
  type CountTrackingNumbersRequest,
  type ImportTrackingNumbersRequest,
  type ListTrackingNumbersRequest,
  type RetireTrackingNumberRequest,
  TrackingNumberState,
} from "./gen/calltracking/v1/inventory_pb.js";
import { type PageRequest, parsePage } from "./page.js";
import { parseRequestId } from "./request-id.js";
import { areaCodeProblem, phoneNumberProblem } from "./telephony.js";

const MOST_NUMBERS = 10_000;

/** A number to be added to the inventory. */
export interface NewTrackingNumber {
  readonly phoneNumber: string;
  readonly areaCode: string;
}

/** Numbers to be added to the inventory. */
export interface NewTrackingNumbers {
  /** Each once. */
  readonly numbers: readonly NewTrackingNumber[];
  readonly requestId: string | undefined;
}

/**
 * The numbers to add. One that is given twice with one area code counts once.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseAddTrackingNumbers(
  request: AddTrackingNumbersRequest | ImportTrackingNumbersRequest,
): NewTrackingNumbers {
  const check = new FieldCheck();
  const requestId = parseRequestId(check, "requestId" in request ? request : {});
  return check.done({ numbers: readNewNumbers(check, request), requestId });
}

function readNewNumbers(
  check: FieldCheck,
  request: AddTrackingNumbersRequest | ImportTrackingNumbersRequest,
): readonly NewTrackingNumber[] {
  const count = request.trackingNumbers.length;
  if (count < 1 || count > MOST_NUMBERS) {
    check.report("tracking_numbers", `must have 1 to ${MOST_NUMBERS} numbers`);
    return [];
  }
  const areaCodes = new Map<string, string>();
  request.trackingNumbers.forEach((each, index) => {
    const path = `tracking_numbers[${index}]`;
    const phoneNumber = check.required(`${path}.phone_number`, each.phoneNumber, phoneNumberProblem);
    const areaCode = check.required(`${path}.area_code`, each.areaCode, areaCodeProblem);
    const before = areaCodes.get(phoneNumber);
    if (before === undefined) areaCodes.set(phoneNumber, areaCode);
    else if (areaCode !== undefined && before !== areaCode)
      check.report(`${path}.area_code`, `must be ${before}, like the earlier entry for the same number`);
  });
  return [...areaCodes].map(([phoneNumber, areaCode]) => ({ phoneNumber, areaCode }));
}

/**
 * The numbers of the inventory to list.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseListTrackingNumbers(request: ListTrackingNumbersRequest): {
  readonly areaCode: string | undefined;
  readonly state: TrackingNumberState | undefined;
  readonly page: PageRequest;
} {
  const check = new FieldCheck();
  return check.done({
    areaCode: check.optional("area_code", request.areaCode, areaCodeProblem),
    state: check.optional("state", request.state, stateProblem),
    page: parsePage(check, request),
  });
}

/**
 * The numbers of the inventory to count.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseCountTrackingNumbers(request: CountTrackingNumbersRequest): {
  readonly areaCode: string | undefined;
} {
  const check = new FieldCheck();
  return check.done({ areaCode: check.optional("area_code", request.areaCode, areaCodeProblem) });
}

/** A number to be retired. */
export interface NumberRetirement {
  readonly phoneNumber: string;
  /** Whether the call tracker that holds it is deleted in the next pass, whatever its status. */
  readonly immediately: boolean;
}

/**
 * The number to retire.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseRetireTrackingNumber(request: RetireTrackingNumberRequest): NumberRetirement {
  const check = new FieldCheck();
  return check.done({
    phoneNumber: check.required("phone_number", request.phoneNumber, phoneNumberProblem),
    immediately: request.immediately ?? false,
  });
}

function stateProblem(state: TrackingNumberState): string | undefined {
  return state !== TrackingNumberState.UNSPECIFIED && state in TrackingNumberState
    ? undefined
    : "must be free, resting, assigned, retiring or retired";
}
