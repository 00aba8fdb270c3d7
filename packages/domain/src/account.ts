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

/**
 * Parses a request to create an account.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseCreateAccount(request: CreateAccountRequest) {
  const check = new FieldCheck();
  return check.done({
    accountToken: check.required("account_token", request.accountToken, tokenProblem),
    requestId: parseRequestId(check, request),
  });
}

/**
 * Parses a request to get an account.
 *
 * @returns the account's token or id.
 * @throws DomainError `FIELD_INVALID`
 */
export function parseGetAccount(request: GetAccountRequest): string {
  const check = new FieldCheck();
  if (request.id === undefined) return check.done(parseAccountReference(check, request));
  check.report(
    "id",
    request.accountId === undefined ? accountIdProblem(request.id) : "must not be set with account_id",
  );
  return check.done(String(request.id));
}

/** Restricts a list of accounts. An undefined field does not filter. */
export type AccountFilter = ReturnType<typeof parseListAccounts>["filter"];

/**
 * Parses a request to list accounts.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseListAccounts(request: ListAccountsRequest) {
  const check = new FieldCheck();
  const page = parsePage(check, request);
  const query = check.optional("query", request.query, wordProblem);
  // The beginning of the token, as `foldCase` returns it.
  const prefix = query === undefined ? undefined : foldCase(query);
  return check.done({ filter: { prefix, isActive: request.isActive }, page });
}

/**
 * Replaces the letters A to Z by lower case, as PostgreSQL's `lower` does in the collation "C". Other letters stay
 * unchanged, because each engine and version would fold them by another edition of Unicode.
 */
export function foldCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Reports whether an account matches a filter. */
export function matchesAccountFilter(
  { accountToken, isActive }: Pick<Account, "accountToken" | "isActive">,
  filter: AccountFilter,
): boolean {
  return (
    (filter.prefix === undefined || foldCase(accountToken).startsWith(filter.prefix)) &&
    (filter.isActive === undefined || isActive === filter.isActive)
  );
}

/**
 * Parses a request to enable or disable an account.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseUpdateAccount(request: UpdateAccountRequest) {
  const check = new FieldCheck();
  const id = check.required("id", request.id, accountIdProblem);
  return check.done({ id, isActive: check.required("is_active", request.isActive, () => undefined) });
}

/** Reads the `account_id` field, which holds an account's token or its id in canonical decimal. */
export function parseAccountReference(check: FieldCheck, request: { readonly accountId?: string | undefined }): string {
  return check.required("account_id", request.accountId, referenceProblem);
}

function accountIdProblem(id: number): string | undefined {
  return id >= 1 ? undefined : "must be a positive integer";
}
