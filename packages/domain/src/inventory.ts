import { FieldCheck } from "./field-check.js";
import {
  type AddTrackingNumbersRequest,
  type CountTrackingNumbersRequest,
  type ImportTrackingNumbersRequest,
  type ListTrackingNumbersRequest,
  type RetireTrackingNumberRequest,
  TrackingNumberState,
} from "./gen/calltracking/v1/inventory_pb.js";
import { parsePage } from "./page.js";
import { parseRequestId } from "./request-id.js";
import { areaCodeProblem, phoneNumberProblem } from "./telephony.js";
import { referenceProblem } from "./text.js";
import { parseUuid } from "./uuid.js";

const MAX_NUMBERS = 10_000;

/** A number to add to the inventory. */
export interface NewTrackingNumber {
  readonly phoneNumber: string;
  readonly areaCode: string;
  /** The id of the phone system at which calls arrive, in lower case if it is a UUID. Undefined to keep that of an existing number. */
  readonly phoneSystemId: string | undefined;
}

/**
 * Removes equal duplicates. Accepts a phone system id that is not a UUID; it matches no phone system. Throws DomainError `FIELD_INVALID`, even
 * for duplicates that are not equal.
 */
export function parseAddTrackingNumbers(request: AddTrackingNumbersRequest | ImportTrackingNumbersRequest) {
  const check = new FieldCheck();
  const requestId = parseRequestId(check, "requestId" in request ? request : {});
  return check.done({ numbers: readNewNumbers(check, request), requestId });
}

function readNewNumbers(
  check: FieldCheck,
  request: AddTrackingNumbersRequest | ImportTrackingNumbersRequest,
): readonly NewTrackingNumber[] {
  const count = request.trackingNumbers.length;
  if (count < 1 || count > MAX_NUMBERS) {
    check.report("tracking_numbers", `must contain 1 to ${MAX_NUMBERS} numbers`);
    return [];
  }
  const numbers = new Map<string, NewTrackingNumber>();
  request.trackingNumbers.forEach((each, index) => {
    const path = `tracking_numbers[${index}]`;
    const phoneNumber = check.required(`${path}.phone_number`, each.phoneNumber, phoneNumberProblem);
    const areaCode = check.required(`${path}.area_code`, each.areaCode, areaCodeProblem);
    const given = check.optional(`${path}.phone_system_id`, each.phoneSystemId, referenceProblem);
    const phoneSystemId = given && (parseUuid(given) ?? given);
    const before = numbers.get(phoneNumber);
    if (before === undefined) numbers.set(phoneNumber, { phoneNumber, areaCode, phoneSystemId });
    else if (areaCode !== undefined && before.areaCode !== areaCode)
      check.report(`${path}.area_code`, `must be ${before.areaCode}, as in the earlier entry for the same number`);
    else if (before.phoneSystemId !== phoneSystemId)
      check.report(`${path}.phone_system_id`, "must be the same as in the earlier entry for the same number");
  });
  return [...numbers.values()];
}

/** Undefined fields do not filter. Throws DomainError `FIELD_INVALID`. */
export function parseListTrackingNumbers(request: ListTrackingNumbersRequest) {
  const check = new FieldCheck();
  return check.done({
    areaCode: check.optional("area_code", request.areaCode, areaCodeProblem),
    state: check.optional("state", request.state, stateProblem),
    page: parsePage(check, request),
  });
}

/** Returns undefined as `areaCode` to count all numbers. Throws DomainError `FIELD_INVALID`. */
export function parseCountTrackingNumbers(request: CountTrackingNumbersRequest) {
  const check = new FieldCheck();
  return check.done({ areaCode: check.optional("area_code", request.areaCode, areaCodeProblem) });
}

export type NumberRetirement = ReturnType<typeof parseRetireTrackingNumber>;

/** @throws DomainError `FIELD_INVALID` */
export function parseRetireTrackingNumber(request: RetireTrackingNumberRequest) {
  const check = new FieldCheck();
  return check.done({
    phoneNumber: check.required("phone_number", request.phoneNumber, phoneNumberProblem),
    /** Whether the next pass deletes the call tracker that holds the number, whatever its status. */
    immediately: request.immediately ?? false,
  });
}

function stateProblem(state: TrackingNumberState): string | undefined {
  return state !== TrackingNumberState.UNSPECIFIED && state in TrackingNumberState
    ? undefined
    : "must be free, resting, assigned, retiring or retired";
}
