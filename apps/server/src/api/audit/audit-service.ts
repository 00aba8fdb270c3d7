import { create } from "@bufbuild/protobuf";
import type { AuditFilter } from "@calltrack/domain";
import { ListAuditEntriesResponseSchema } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import type { ResolvedAccount } from "../../access/account-directory.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import type { AUDIT_METHODS } from "./audit-methods.js";
import { listAuditEntries } from "./audit-repository.js";

export function createAuditService({ db }: DatabaseAccess): ServiceImplementation<typeof AUDIT_METHODS> {
  return {
    async listAuditEntries({ filter }, { account, readPage }) {
      const { entries, nextPageToken } = await readPage(nameOf(account, filter), (bounds) =>
        listAuditEntries(db, account, filter, bounds),
      );
      return create(ListAuditEntriesResponseSchema, { auditEntries: entries, nextPageToken });
    },
  };
}

/** Names a list by account and filter, so that a page token is valid only for the filter that it was issued for. */
function nameOf(account: ResolvedAccount | undefined, { resourceId, actorId, since, until }: AuditFilter): string {
  const filter = [resourceId, actorId, since?.toISOString(), until?.toISOString()];
  return [account?.accountId ?? "", ...filter.map((value) => encodeURIComponent(value ?? ""))].join();
}
