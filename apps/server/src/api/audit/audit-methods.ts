import { parseListAuditEntriesRequest } from "@calltrack/domain";
import { AuditService } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import { declareMethodRows } from "../methods/method-row.js";
import { AUDIT_ENTRY_PAGED_LIST } from "./audit-repository.js";

/** A principal that is bound to an account sees only the audit entries of that account. */
export const AUDIT_METHODS = declareMethodRows(AuditService, {
  listAuditEntries: {
    access: { scope: "admin", reach: "account" },
    account: "named or own",
    list: AUDIT_ENTRY_PAGED_LIST,
    parse: parseListAuditEntriesRequest,
  },
});
