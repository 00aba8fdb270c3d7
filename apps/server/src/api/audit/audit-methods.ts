import { parseListAuditEntries } from "@calltrack/domain";
import { AuditService } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import { describeMethods } from "../methods/method-row.js";
import { AUDIT_ENTRIES } from "./audit-repository.js";

/** A principal that is bound to an account sees only the entries of that account. */
export const AUDIT_METHODS = describeMethods(AuditService, {
  listAuditEntries: {
    access: { scope: "admin", reach: "account" },
    account: "named or own",
    list: AUDIT_ENTRIES,
    parse: parseListAuditEntries,
  },
});
