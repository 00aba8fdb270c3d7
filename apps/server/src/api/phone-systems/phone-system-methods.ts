import {
  parseCreatePhoneSystemRequest,
  parseListPhoneSystemsRequest,
  parsePhoneSystemId,
  parseRotatePhoneSystemCredentialsRequest,
  parseUpdatePhoneSystemRequest,
} from "@calltrack/domain";
import { PhoneSystemService } from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import { declareMethodRows } from "../methods/method-row.js";
import { PHONE_SYSTEM_PAGED_LIST } from "./phone-system-repository.js";

/** Phone systems belong to the operator, so principals that are bound to an account cannot access them. */
const ADMINISTERS = { access: { scope: "admin", reach: "service" } } as const;

export const PHONE_SYSTEM_METHODS = declareMethodRows(PhoneSystemService, {
  createPhoneSystem: {
    ...ADMINISTERS,
    isIdempotent: true,
    audits: "phone_system",
    parse: parseCreatePhoneSystemRequest,
  },
  getPhoneSystem: { ...ADMINISTERS, parse: parsePhoneSystemId },
  listPhoneSystems: { ...ADMINISTERS, list: PHONE_SYSTEM_PAGED_LIST, parse: parseListPhoneSystemsRequest },
  updatePhoneSystem: {
    ...ADMINISTERS,
    isConditional: true,
    audits: "phone_system",
    parse: parseUpdatePhoneSystemRequest,
  },
  rotatePhoneSystemCredentials: {
    ...ADMINISTERS,
    isIdempotent: true,
    audits: "phone_system",
    parse: parseRotatePhoneSystemCredentialsRequest,
  },
  checkPhoneSystem: { ...ADMINISTERS, parse: parsePhoneSystemId },
});
