import { parseAccountReference } from "./account.js";
import { FieldCheck } from "./field-check.js";
import type {
  CreatePhoneNumberRequest,
  GetPhoneNumberRequest,
  ListPhoneNumbersRequest,
} from "./gen/calltracking/v1/phone_number_pb.js";
import { type PageRequest, parsePage } from "./page.js";
import { parseRequestId } from "./request-id.js";
import { phoneNumberProblem } from "./telephony.js";
import { descriptionProblem, referenceProblem, tokenProblem } from "./text.js";

/** A phone number to be registered. */
export interface NewPhoneNumber {
  /** The account's token or id. */
  readonly account: string;
  readonly phoneNumber: string;
  readonly description: string | undefined;
  readonly propertyToken: string | undefined;
  readonly requestId: string | undefined;
}

/**
 * The phone number to register.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseCreatePhoneNumber(request: CreatePhoneNumberRequest): NewPhoneNumber {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    phoneNumber: check.required("phone_number", request.phoneNumber, phoneNumberProblem),
    description: check.optional("description", request.description, descriptionProblem),
    propertyToken: check.optional("property_token", request.propertyToken || undefined, tokenProblem),
    requestId: parseRequestId(check, request),
  });
}

/**
 * The account and the id of the phone number to read. An id that is no UUID is one that no phone number has.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseGetPhoneNumber(request: GetPhoneNumberRequest): {
  readonly account: string;
  readonly phoneNumberId: string;
} {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    phoneNumberId: check.required("phone_number_id", request.phoneNumberId, referenceProblem),
  });
}

/**
 * The account and the part of its phone numbers to read.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseListPhoneNumbers(request: ListPhoneNumbersRequest): {
  readonly account: string;
  readonly page: PageRequest;
} {
  const check = new FieldCheck();
  return check.done({ account: parseAccountReference(check, request), page: parsePage(check, request) });
}
