import { create } from "@bufbuild/protobuf";
import {
  type AccountFilter,
  DomainError,
  matchesAccountFilter,
  parseCreateAccount,
  parseGetAccount,
  parseListAccounts,
  parseUpdateAccount,
} from "@calltrack/domain";
import {
  type Account,
  type AccountService,
  ListAccountsResponseSchema,
} from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { type Executor, isUniqueViolation } from "@calltrack/postgres";
import type { ServiceImpl } from "@connectrpc/connect";
import { type AccountDirectory, accountNotFound, findAccountByHandle } from "../../access/account-directory.js";
import { ownAccountOf } from "../../access/caller-context.js";
import { changeOriginOf } from "../../access/change-origin.js";
import { createRequestKey } from "../../access/create-request-key.js";
import { type EtagCondition, parseEtagCondition, requireEtagMatch } from "../../database/etag-condition.js";
import { createOnce } from "../../database/idempotency/create-once.js";
import { NO_ACCOUNT } from "../../database/idempotency/request-key.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { readPage } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { thawPools } from "../../pool-management/pass-schedule-statements.js";
import { accountListOf, listAccounts } from "./account-list.js";
import { findAccount, insertAccount, updateAccount } from "./account-repository.js";

/**
 * Creates the implementation of AccountService.
 *
 * @param onPoolsDue called after pools have become due.
 */
export function createAccountService(
  { db }: DatabaseAccess,
  accounts: AccountDirectory,
  onPoolsDue: () => void,
): ServiceImpl<typeof AccountService> {
  return {
    async createAccount(request, context) {
      const { accountToken, requestId } = parseCreateAccount(request);
      const key = createRequestKey(requestId, request, context, NO_ACCOUNT);
      const insert = (executor: Executor) => insertAccount(executor, accountToken, changeOriginOf(context));
      // Retries if the drawn id equals the token of another account. Each attempt uses up its id, so each such token
      // causes only one retry ever.
      for (;;) {
        const account = await createOnce(db, key, insert).catch((error: unknown) => {
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

    async getAccount(request) {
      const account = parseGetAccount(request);
      const { accountId } = await accounts.require(account);
      return (await findAccount(db, accountId)) ?? accountNotFound(account);
    },

    async listAccounts(request, { values }) {
      const { filter, page } = parseListAccounts(request);
      const own = ownAccountOf(values)?.id;
      const { entries, nextPageToken } = await readPage(accountListOf(filter), page, async (bounds) => {
        if (own === undefined) return { owner: nameOf(filter), entries: await listAccounts(db, filter, bounds) };
        // The account that the caller is bound to, if it matches the filter, is always the whole list.
        const account = await findAccount(db, own);
        const entries = account !== undefined && matchesAccountFilter(account, filter) ? [account] : [];
        return { owner: nameOf(filter, own), entries };
      });
      return create(ListAccountsResponseSchema, { accounts: entries, nextPageToken });
    },

    async updateAccount(request, context) {
      const { id, isActive } = parseUpdateAccount(request);
      const condition = parseEtagCondition(request);
      for (;;) {
        const account = await changeAccount(db, id, isActive, condition, changeOriginOf(context));
        if (account !== undefined) {
          if (isActive) onPoolsDue();
          return account;
        }
        requireEtagMatch(condition, (await findAccount(db, id)) ?? accountNotFound(String(id)));
      }
    },
  };
}

/** Names a filtered list, so that a page token is valid only for its filter. The name of the whole list is empty. */
function nameOf({ prefix, isActive }: AccountFilter, own?: number): string {
  const parts = [own, isActive, prefix && encodeURIComponent(prefix)];
  return parts.every((part) => part === undefined) ? "" : parts.join();
}

/** Enables or disables an account. Enabling it makes due the pools that were frozen while it was disabled. */
function changeAccount(
  db: Executor,
  id: number,
  isActive: boolean,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<Account | undefined> {
  if (!isActive) return updateAccount(db, id, false, condition, origin);
  // A pass that finds the account disabled locks the account's row until it has frozen the pool. The update waits for
  // it, so `thawPools` sees all frozen pools.
  return db.transaction(async (transaction) => {
    const account = await updateAccount(transaction, id, true, condition, origin);
    if (account !== undefined) await thawPools(transaction, { account_id: id });
    return account;
  });
}
