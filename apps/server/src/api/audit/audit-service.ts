import { create } from "@bufbuild/protobuf";
import { type AuditFilter, type CallerAccount, parseListAuditEntries } from "@calltrack/domain";
import {
  type AuditEntry,
  type AuditService,
  ListAuditEntriesResponseSchema,
} from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountDirectory } from "../../access/account-directory.js";
import { findNamedOrOwnAccount } from "../../access/caller-context.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { pagedListById, readPage } from "../../database/page.js";
import { listAuditEntries } from "./audit-repository.js";

const AUDIT_ENTRIES = pagedListById<AuditEntry>("audit_entries");

/**
 * Creates the implementation of AuditService. A caller that is bound to an account sees only the entries of that
 * account.
 */
export function createAuditService(
  { db }: DatabaseAccess,
  accounts: AccountDirectory,
): ServiceImpl<typeof AuditService> {
  return {
    async listAuditEntries(request, { values }) {
      const { account, filter, page } = parseListAuditEntries(request);
      const { entries, nextPageToken } = await readPage(AUDIT_ENTRIES, page, async (bounds) => {
        const owner = await findNamedOrOwnAccount(accounts, account, values);
        return { owner: nameOf(owner, filter), entries: await listAuditEntries(db, owner, filter, bounds) };
      });
      return create(ListAuditEntriesResponseSchema, { auditEntries: entries, nextPageToken });
    },
  };
}

/** Names the list by account and filter, so that page tokens of one filter are invalid for another. */
function nameOf(account: CallerAccount | undefined, { resourceId, actorId, since, until }: AuditFilter): string {
  const filter = [resourceId, actorId, since?.toISOString(), until?.toISOString()];
  return [account?.id ?? "", ...filter.map((value) => encodeURIComponent(value ?? ""))].join();
}
