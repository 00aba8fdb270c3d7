import {
  parseCreateAccountRequest,
  parseGetAccountRequest,
  parseListAccountsRequest,
  parseUpdateAccountRequest,
} from "@calltrack/domain";
import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { ACCOUNT_READ_METHOD, declareMethodRows } from "../methods/method-row.js";
import { selectAccountPagedList } from "./account-list.js";

export const ACCOUNT_METHODS = declareMethodRows(AccountService, {
  createAccount: {
    access: { scope: "write", reach: "service" },
    isIdempotent: true,
    audits: "account",
    parse: parseCreateAccountRequest,
  },
  getAccount: { ...ACCOUNT_READ_METHOD, parse: (request) => ({ account: parseGetAccountRequest(request) }) },
  listAccounts: {
    namesEventCursor: true,
    access: { scope: "read", reach: "own" },
    list: ({ filter }: ReturnType<typeof parseListAccountsRequest>) => selectAccountPagedList(filter),
    parse: parseListAccountsRequest,
  },
  // `account` is absent, because the request contains the account's numeric id, which needs no lookup.
  updateAccount: {
    access: { scope: "write", reach: "account" },
    isConditional: true,
    audits: "account",
    parse: parseUpdateAccountRequest,
  },
});
