import { parseAccountReference } from "./account.js";
import { FieldCheck } from "./field-check.js";
import type {
  CreatePhoneNumberRequest,
  GetPhoneNumberRequest,
  ListPhoneNumbersRequest,
} from "./gen/calltracking/v1/phone_number_pb.js";
import { parsePagination } from "./pagination.js";
import { parseRequestId } from "./request-id.js";
import { findPhoneNumberProblem } from "./telephony.js";
import { findDescriptionProblem, findLookupKeyProblem, findTokenProblem } from "./text.js";

export type NewPhoneNumber = ReturnType<typeof parseCreatePhoneNumberRequest>;

/** @throws DomainError `FIELD_INVALID` */
export function parseCreatePhoneNumberRequest(request: CreatePhoneNumberRequest) {
  const check = new FieldCheck();
  return check.done({
    /** The token or id of the account that registers the number. */
    account: parseAccountReference(check, request),
    phoneNumber: check.required("phone_number", request.phoneNumber, findPhoneNumberProblem),
    description: check.optional("description", request.description, findDescriptionProblem),
    propertyToken: check.optional("property_token", request.propertyToken || undefined, findTokenProblem),
    requestId: parseRequestId(check, request),
  });
}

/** Accepts an id that is not a UUID, although no phone number has such an id. Throws DomainError `FIELD_INVALID`. */
export function parseGetPhoneNumberRequest(request: GetPhoneNumberRequest) {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    phoneNumberId: check.required("phone_number_id", request.phoneNumberId, findLookupKeyProblem),
  });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseListPhoneNumbersRequest(request: ListPhoneNumbersRequest) {
  const check = new FieldCheck();
  return check.done({ account: parseAccountReference(check, request), page: parsePagination(check, request) });
}
