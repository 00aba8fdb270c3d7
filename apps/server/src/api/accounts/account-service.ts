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
import { accountNotFound, findAccountByHandle } from "../../access/account-directory.js";
import { ownAccountOf } from "../../access/caller-context.js";
import { changeOriginOf } from "../../access/change-origin.js";
import { type EtagCondition, parseEtagCondition, requireEtagMatch } from "../../database/etag-condition.js";
import { createOnce } from "../../database/idempotency/create-once.js";
import { createRequestKey, NO_ACCOUNT, type RequestKey } from "../../database/idempotency/request-key.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { type PageBounds, readPage } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { thawPools } from "../../pool-management/pass-schedule-statements.js";
import {
  ACCOUNTS,
  ACCOUNTS_BY_TOKEN,
  findAccount,
  insertAccount,
  listAccounts,
  searchAccounts,
  updateAccount,
} from "./account-repository.js";

/**
 * Creates the implementation of AccountService.
 *
 * @param onPoolsDue called after pools have become due.
 */
export function createAccountService(
  { db, reads }: DatabaseAccess,
  onPoolsDue: () => void,
): ServiceImpl<typeof AccountService> {
  return {
    async createAccount(request, context) {
      const { accountToken, requestId } = parseCreateAccount(request);
      const key = createRequestKey(requestId, request, context, NO_ACCOUNT);
      return createAccount(db, accountToken, key, changeOriginOf(context));
    },

    async getAccount(request) {
      const { id } = parseGetAccount(request);
      return (await findAccount(reads, id)) ?? accountNotFound(String(id));
    },

    async listAccounts(request, { values }) {
      const { filter, page } = parseListAccounts(request);
      const own = ownAccountOf(values)?.id;
      const list = filter.prefix === undefined ? ACCOUNTS : ACCOUNTS_BY_TOKEN;
      const { entries, nextPageToken } = await readPage(list, page, async (bounds) => ({
        owner: nameOf(filter, own),
        entries: await (own === undefined ? findAccounts(reads, filter, bounds) : findOwnAccount(reads, filter, own)),
      }));
      return create(ListAccountsResponseSchema, { accounts: entries, nextPageToken });
    },

    async updateAccount(request, context) {
      const { id, isActive } = parseUpdateAccount(request);
      const account = await changeAccount(db, id, isActive, parseEtagCondition(request), changeOriginOf(context));
      if (isActive) onPoolsDue();
      return account;
    },
  };
}

function findAccounts(db: Executor, { prefix, isActive }: AccountFilter, bounds: PageBounds): Promise<Account[]> {
  return prefix === undefined ? listAccounts(db, isActive, bounds) : searchAccounts(db, prefix, isActive, bounds);
}

/** Returns the account that the caller is bound to, if it matches the filter. It is always the whole list. */
async function findOwnAccount(db: Executor, filter: AccountFilter, id: number): Promise<Account[]> {
  const account = await findAccount(db, id);
  return account !== undefined && matchesAccountFilter(account, filter) ? [account] : [];
}

/** Names a filtered list, so that a page token is valid only for its filter. The name of the whole list is empty. */
function nameOf({ prefix, isActive }: AccountFilter, own: number | undefined): string {
  const parts = [own, isActive, prefix && encodeURIComponent(prefix)];
  return parts.every((part) => part === undefined) ? "" : parts.join();
}

async function changeAccount(
  db: Executor,
  id: number,
  isActive: boolean,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<Account> {
  for (;;) {
    const update = isActive
      ? enableAccount(db, id, condition, origin)
      : updateAccount(db, id, false, condition, origin);
    const account = await update;
    if (account !== undefined) return account;
    requireEtagMatch(condition, (await findAccount(db, id)) ?? accountNotFound(String(id)));
  }
}

/** Enables an account, and makes due the pools that were frozen while it was disabled. */
function enableAccount(
  db: Executor,
  id: number,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<Account | undefined> {
  // A pass that finds the account disabled locks the account's row until it has frozen the pool. The update waits for
  // it, so `thawPools` sees all frozen pools.
  return db.transaction(async (transaction) => {
    const account = await updateAccount(transaction, id, true, condition, origin);
    if (account !== undefined) await thawPools(transaction, { account_id: id });
    return account;
  });
}

/**
 * Creates an account. Retries if the drawn id equals the token of another account. Each attempt uses up its id, so
 * each such token causes only one retry ever.
 */
async function createAccount(
  db: Executor,
  accountToken: string,
  key: RequestKey | undefined,
  origin: ChangeOrigin,
): Promise<Account> {
  for (;;) {
    const insertion = createOnce(db, key, (executor) => insertAccount(executor, accountToken, origin));
    const account = await insertion.catch((error: unknown) => {
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
}
