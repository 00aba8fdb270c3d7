import { parseCreateAccount, parseGetAccount, parseListAccounts, parseUpdateAccount } from "@calltrack/domain";
import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { describeMethods, READS_ACCOUNT } from "../methods/method-row.js";
import { accountListOf } from "./account-list.js";

export const ACCOUNT_METHODS = describeMethods(AccountService, {
  createAccount: {
    access: { scope: "write", reach: "service" },
    isIdempotent: true,
    audits: "account",
    parse: parseCreateAccount,
  },
  getAccount: { ...READS_ACCOUNT, parse: (request) => ({ account: parseGetAccount(request) }) },
  listAccounts: {
    namesEventCursor: true,
    access: { scope: "read", reach: "own" },
    list: ({ filter }: ReturnType<typeof parseListAccounts>) => accountListOf(filter),
    parse: parseListAccounts,
  },
  // Without `account`: the request has the account's numeric id, which needs no lookup.
  updateAccount: {
    access: { scope: "write", reach: "account" },
    isConditional: true,
    audits: "account",
    parse: parseUpdateAccount,
  },
});
