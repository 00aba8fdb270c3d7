import { FieldCheck } from "./field-check.js";
import type {
  Account,
  CreateAccountRequest,
  GetAccountRequest,
  ListAccountsRequest,
  UpdateAccountRequest,
} from "./gen/calltracking/v1/account_pb.js";
import { parsePage } from "./page.js";
import { parseRequestId } from "./request-id.js";
import { referenceProblem, tokenProblem, wordProblem } from "./text.js";

/** @throws DomainError `FIELD_INVALID` */
export function parseCreateAccount(request: CreateAccountRequest) {
  const check = new FieldCheck();
  return check.done({
    accountToken: check.required("account_token", request.accountToken, tokenProblem),
    requestId: parseRequestId(check, request),
  });
}

/** Returns the account's token or id. Throws DomainError `FIELD_INVALID`. */
export function parseGetAccount(request: GetAccountRequest): string {
  const check = new FieldCheck();
  if (request.id === undefined) return check.done(parseAccountReference(check, request));
  check.report(
    "id",
    request.accountId === undefined ? accountIdProblem(request.id) : "must not be set with account_id",
  );
  return check.done(String(request.id));
}

/** The filter for a list of accounts. Undefined fields do not filter. */
export type AccountFilter = ReturnType<typeof parseListAccounts>["filter"];

/** @throws DomainError `FIELD_INVALID` */
export function parseListAccounts(request: ListAccountsRequest) {
  const check = new FieldCheck();
  const page = parsePage(check, request);
  const query = check.optional("query", request.query, wordProblem);
  // The beginning of the token, folded by `foldCase`.
  const prefix = query === undefined ? undefined : foldCase(query);
  return check.done({ filter: { prefix, isActive: request.isActive }, page });
}

/**
 * Converts the letters A to Z to lower case, as PostgreSQL's `lower` does in the collation "C". Other letters are not converted, because
 * engines and their versions implement different versions of Unicode.
 */
export function foldCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function matchesAccountFilter(
  { accountToken, isActive }: Pick<Account, "accountToken" | "isActive">,
  filter: AccountFilter,
): boolean {
  return (
    (filter.prefix === undefined || foldCase(accountToken).startsWith(filter.prefix)) &&
    (filter.isActive === undefined || isActive === filter.isActive)
  );
}

/** @throws DomainError `FIELD_INVALID` */
export function parseUpdateAccount(request: UpdateAccountRequest) {
  const check = new FieldCheck();
  const id = check.required("id", request.id, accountIdProblem);
  return check.done({ id, isActive: check.required("is_active", request.isActive, () => undefined) });
}

/** Reads the `account_id` field, which contains an account's token, or its id in canonical decimal. */
export function parseAccountReference(check: FieldCheck, request: { readonly accountId?: string | undefined }): string {
  return check.required("account_id", request.accountId, referenceProblem);
}

function accountIdProblem(id: number): string | undefined {
  return id >= 1 ? undefined : "must be a positive integer";
}
