import { FieldCheck } from "./field-check.js";
import {
  type AddTrackingNumbersRequest,
  type CountTrackingNumbersRequest,
  type ImportTrackingNumbersRequest,
  type ListTrackingNumbersRequest,
  type RetireTrackingNumberRequest,
  TrackingNumberState,
} from "./gen/calltracking/v1/inventory_pb.js";
import { parsePagination } from "./pagination.js";
import { parseRequestId } from "./request-id.js";
import { findAreaCodeProblem, findPhoneNumberProblem } from "./telephony.js";
import { findLookupKeyProblem } from "./text.js";
import { parseUuid } from "./uuid.js";

const MAX_NUMBERS = 10_000;

/** A tracking number to add to the inventory. If the inventory already contains the number, at most its phone system changes. */
export interface NewTrackingNumber {
  readonly phoneNumber: string;
  readonly areaCode: string;
  /** The id of the phone system at which calls arrive, in lower case if it is a UUID. If undefined, an existing number keeps its phone system. */
  readonly phoneSystemId: string | undefined;
}

/**
 * Removes equal entries for the same number. Accepts a phone system id that is not a UUID, although no phone system has such an id.
 *
 * @throws DomainError `FIELD_INVALID` if a field is invalid, or if two entries for the same number differ.
 */
export function parseAddTrackingNumbersRequest(request: AddTrackingNumbersRequest | ImportTrackingNumbersRequest) {
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
    const phoneNumber = check.required(`${path}.phone_number`, each.phoneNumber, findPhoneNumberProblem);
    const areaCode = check.required(`${path}.area_code`, each.areaCode, findAreaCodeProblem);
    const given = check.optional(`${path}.phone_system_id`, each.phoneSystemId, findLookupKeyProblem);
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

/** A field of the result that is undefined excludes no number from the list. Throws DomainError `FIELD_INVALID`. */
export function parseListTrackingNumbersRequest(request: ListTrackingNumbersRequest) {
  const check = new FieldCheck();
  return check.done({
    areaCode: check.optional("area_code", request.areaCode, findAreaCodeProblem),
    state: check.optional("state", request.state, findStateProblem),
    page: parsePagination(check, request),
  });
}

/** Returns undefined as `areaCode` if the request is for the numbers of every area code. Throws DomainError `FIELD_INVALID`. */
export function parseCountTrackingNumbersRequest(request: CountTrackingNumbersRequest) {
  const check = new FieldCheck();
  return check.done({ areaCode: check.optional("area_code", request.areaCode, findAreaCodeProblem) });
}

export type NumberRetirement = ReturnType<typeof parseRetireTrackingNumberRequest>;

/** @throws DomainError `FIELD_INVALID` */
export function parseRetireTrackingNumberRequest(request: RetireTrackingNumberRequest) {
  const check = new FieldCheck();
  return check.done({
    phoneNumber: check.required("phone_number", request.phoneNumber, findPhoneNumberProblem),
    /** Whether the next pass deletes the call tracker of the number, whatever the status of the call tracker. */
    immediately: request.immediately ?? false,
  });
}

function findStateProblem(state: TrackingNumberState): string | undefined {
  return state !== TrackingNumberState.UNSPECIFIED && state in TrackingNumberState
    ? undefined
    : "must be free, resting, assigned, retiring or retired";
}
