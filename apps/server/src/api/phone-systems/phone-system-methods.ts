import {
  parseCreatePhoneSystem,
  parseListPhoneSystems,
  parsePhoneSystemId,
  parseRotatePhoneSystemCredentials,
  parseUpdatePhoneSystem,
} from "@calltrack/domain";
import { PhoneSystemService } from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import { describeMethods } from "../methods/method-row.js";
import { PHONE_SYSTEMS } from "./phone-system-repository.js";

/** Phone systems belong to the operator, so principals that are bound to an account cannot access them. */
const ADMINISTERS = { access: { scope: "admin", reach: "service" } } as const;

export const PHONE_SYSTEM_METHODS = describeMethods(PhoneSystemService, {
  createPhoneSystem: { ...ADMINISTERS, isIdempotent: true, audits: "phone_system", parse: parseCreatePhoneSystem },
  getPhoneSystem: { ...ADMINISTERS, parse: parsePhoneSystemId },
  listPhoneSystems: { ...ADMINISTERS, list: PHONE_SYSTEMS, parse: parseListPhoneSystems },
  updatePhoneSystem: { ...ADMINISTERS, isConditional: true, audits: "phone_system", parse: parseUpdatePhoneSystem },
  rotatePhoneSystemCredentials: {
    ...ADMINISTERS,
    isIdempotent: true,
    audits: "phone_system",
    parse: parseRotatePhoneSystemCredentials,
  },
  checkPhoneSystem: { ...ADMINISTERS, parse: parsePhoneSystemId },
});
