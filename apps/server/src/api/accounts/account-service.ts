import { create } from "@bufbuild/protobuf";
import { type AccountFilter, DomainError, matchesAccountFilter } from "@calltrack/domain";
import { type Account, ListAccountsResponseSchema } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { type Executor, isUniqueViolation } from "@calltrack/postgres";
import { findAccountByHandle, throwAccountNotFound } from "../../access/account-directory.js";
import { type EtagCondition, updateIfEtagMatches } from "../../database/etag-condition.js";
import { createResourceOnce } from "../../database/idempotency/create-resource-once.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { makeFrozenPoolsDueStatement } from "../../pool-management/pass-schedule-statements.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import { listAccounts } from "./account-list.js";
import type { ACCOUNT_METHODS } from "./account-methods.js";
import { findAccount, insertAccount, updateAccount } from "./account-repository.js";

/**
 * @param onPoolsDue is called after an account was enabled, which makes its frozen pools due for a pass.
 */
export function createAccountService(
  database: DatabaseAccess,
  onPoolsDue: () => void,
): ServiceImplementation<typeof ACCOUNT_METHODS> {
  const { db } = database;
  return {
    async createAccount({ accountToken }, { key, origin }) {
      const insert = (executor: Executor) => insertAccount(executor, accountToken, origin);
      // Retries if the new account's id equals another account's token. A failed attempt uses up its id, so each token causes at most one retry.
      for (;;) {
        const account = await createResourceOnce(db, key, insert).catch((error: unknown) => {
          if (isUniqueViolation(error, "account_handles_pkey")) return undefined;
          throw error;
        });
        if (account !== undefined) return account;
        const existing = await findAccountByHandle(db, accountToken);
        if (existing === undefined) continue;
        throw existing.accountToken === accountToken
          ? new DomainError("ACCOUNT_ALREADY_EXISTS", { accountToken, accountId: existing.accountId })
          : new DomainError("ACCOUNT_TOKEN_RESERVED", { accountToken });
      }
    },

    getAccount: (_, { account }) => requireAccount(db, account.accountId),

    async listAccounts({ filter }, { own, readPage }) {
      const { entries, nextPageToken } = await readPage(nameOf(filter, own?.id), async (bounds) => {
        if (own === undefined) return listAccounts(database, filter, bounds);
        // A principal that is bound to an account can see no other account.
        const account = await findAccount(db, own.id);
        return account !== undefined && matchesAccountFilter(account, filter) ? [account] : [];
      });
      return create(ListAccountsResponseSchema, { accounts: entries, nextPageToken });
    },

    async updateAccount({ id, isActive }, { condition, origin }) {
      const account = await updateIfEtagMatches(
        condition,
        () => changeAccount(db, id, isActive, condition, origin),
        () => requireAccount(db, id),
      );
      if (isActive) onPoolsDue();
      return account;
    },
  };
}

async function requireAccount(db: Executor, id: number): Promise<Account> {
  return (await findAccount(db, id)) ?? throwAccountNotFound(String(id));
}

/** Names a filtered list, so that a page token is valid only for the filter that it was issued for. The unfiltered list has an empty name. */
function nameOf({ prefix, isActive }: AccountFilter, own: number | undefined): string {
  const parts = [own, isActive, prefix && encodeURIComponent(prefix)];
  return parts.every((part) => part === undefined) ? "" : parts.join();
}

/** Enables or disables an account. Enabling an account makes its frozen pools due for a pass. */
function changeAccount(
  db: Executor,
  id: number,
  isActive: boolean,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<Account | undefined> {
  if (!isActive) return updateAccount(db, id, false, condition, origin);
  // A pass that finds the account disabled locks the account's row until the pass has frozen the pool. The update waits for that lock, so
  // `makeFrozenPoolsDueStatement` sees all frozen pools.
  return db.transaction(async (transaction) => {
    const account = await updateAccount(transaction, id, true, condition, origin);
    if (account !== undefined) await makeFrozenPoolsDueStatement(transaction, { account_id: id });
    return account;
  });
}
