import { parseAccountReference } from "./account.js";
import { FieldCheck } from "./field-check.js";
import type {
  CreatePhoneNumberRequest,
  GetPhoneNumberRequest,
  ListPhoneNumbersRequest,
} from "./gen/calltracking/v1/phone_number_pb.js";
import { parsePage } from "./page.js";
import { parseRequestId } from "./request-id.js";
import { phoneNumberProblem } from "./telephony.js";
import { descriptionProblem, referenceProblem, tokenProblem } from "./text.js";

export type NewPhoneNumber = ReturnType<typeof parseCreatePhoneNumber>;

/** @throws DomainError `FIELD_INVALID` */
export function parseCreatePhoneNumber(request: CreatePhoneNumberRequest) {
  const check = new FieldCheck();
  return check.done({
    /** The account's token or id. */
    account: parseAccountReference(check, request),
    phoneNumber: check.required("phone_number", request.phoneNumber, phoneNumberProblem),
    description: check.optional("description", request.description, descriptionProblem),
    propertyToken: check.optional("property_token", request.propertyToken || undefined, tokenProblem),
    requestId: parseRequestId(check, request),
  });
}

/** Accepts an id that is not a UUID; it matches no phone number. Throws DomainError `FIELD_INVALID`. */
export function parseGetPhoneNumber(request: GetPhoneNumberRequest) {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    phoneNumberId: check.required("phone_number_id", request.phoneNumberId, referenceProblem),
  });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseListPhoneNumbers(request: ListPhoneNumbersRequest) {
  const check = new FieldCheck();
  return check.done({ account: parseAccountReference(check, request), page: parsePage(check, request) });
}
