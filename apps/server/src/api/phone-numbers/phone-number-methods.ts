import { parseCreatePhoneNumber, parseGetPhoneNumber, parseListPhoneNumbers } from "@calltrack/domain";
import { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { describeMethods, READS_ACCOUNT, WRITES_ACCOUNT } from "../methods/method-row.js";
import { PHONE_NUMBERS } from "./phone-number-repository.js";

export const PHONE_NUMBER_METHODS = describeMethods(PhoneNumberService, {
  createPhoneNumber: { ...WRITES_ACCOUNT, isIdempotent: true, audits: "phone_number", parse: parseCreatePhoneNumber },
  getPhoneNumber: { ...READS_ACCOUNT, parse: parseGetPhoneNumber },
  listPhoneNumbers: { namesEventCursor: true, ...READS_ACCOUNT, list: PHONE_NUMBERS, parse: parseListPhoneNumbers },
});
