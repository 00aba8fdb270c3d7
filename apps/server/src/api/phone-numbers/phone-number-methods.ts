import {
  parseCreatePhoneNumberRequest,
  parseGetPhoneNumberRequest,
  parseListPhoneNumbersRequest,
} from "@calltrack/domain";
import { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { ACCOUNT_READ_METHOD, ACCOUNT_WRITE_METHOD, declareMethodRows } from "../methods/method-row.js";
import { PHONE_NUMBER_PAGED_LIST } from "./phone-number-repository.js";

export const PHONE_NUMBER_METHODS = declareMethodRows(PhoneNumberService, {
  createPhoneNumber: {
    ...ACCOUNT_WRITE_METHOD,
    isIdempotent: true,
    audits: "phone_number",
    parse: parseCreatePhoneNumberRequest,
  },
  getPhoneNumber: { ...ACCOUNT_READ_METHOD, parse: parseGetPhoneNumberRequest },
  listPhoneNumbers: {
    namesEventCursor: true,
    ...ACCOUNT_READ_METHOD,
    list: PHONE_NUMBER_PAGED_LIST,
    parse: parseListPhoneNumbersRequest,
  },
});
