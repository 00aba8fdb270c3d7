import { FieldCheck } from "./field-check.js";
import type {
  Account,
  CreateAccountRequest,
  GetAccountRequest,
  ListAccountsRequest,
  UpdateAccountRequest,
} from "./gen/calltracking/v1/account_pb.js";
import { parsePagination } from "./pagination.js";
import { parseRequestId } from "./request-id.js";
import { findLookupKeyProblem, findTokenProblem, findUnspacedTextProblem } from "./text.js";

/** @throws DomainError `FIELD_INVALID` */
export function parseCreateAccountRequest(request: CreateAccountRequest) {
  const check = new FieldCheck();
  return check.done({
    accountToken: check.required("account_token", request.accountToken, findTokenProblem),
    requestId: parseRequestId(check, request),
  });
}

/** Returns the token or id of the account that the request names. Throws DomainError `FIELD_INVALID`. */
export function parseGetAccountRequest(request: GetAccountRequest): string {
  const check = new FieldCheck();
  if (request.id === undefined) return check.done(parseAccountReference(check, request));
  check.report(
    "id",
    request.accountId === undefined
      ? findAccountIdProblem(request.id)
      : "must not be set together with account_id: send only account_id",
  );
  return check.done(String(request.id));
}

/** Which accounts ListAccounts returns. A field that is undefined excludes no account. */
export type AccountFilter = ReturnType<typeof parseListAccountsRequest>["filter"];

/** @throws DomainError `FIELD_INVALID` */
export function parseListAccountsRequest(request: ListAccountsRequest) {
  const check = new FieldCheck();
  const page = parsePagination(check, request);
  const query = check.optional("query", request.query, findUnspacedTextProblem);
  // The beginning of the account's token, converted by `toAsciiLowerCase`.
  const prefix = query === undefined ? undefined : toAsciiLowerCase(query);
  return check.done({ filter: { prefix, isActive: request.isActive }, page });
}

/**
 * Converts the letters A to Z to lower case, as PostgreSQL's `lower` does in the collation "C". Does not convert other letters, because
 * JavaScript engines and PostgreSQL implement different versions of Unicode.
 */
export function toAsciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function matchesAccountFilter(
  { accountToken, isActive }: Pick<Account, "accountToken" | "isActive">,
  filter: AccountFilter,
): boolean {
  return (
    (filter.prefix === undefined || toAsciiLowerCase(accountToken).startsWith(filter.prefix)) &&
    (filter.isActive === undefined || isActive === filter.isActive)
  );
}

/** @throws DomainError `FIELD_INVALID` */
export function parseUpdateAccountRequest(request: UpdateAccountRequest) {
  const check = new FieldCheck();
  const id = check.required("id", request.id, findAccountIdProblem);
  return check.done({ id, isActive: check.required("is_active", request.isActive, () => undefined) });
}

/** Reads the required field `account_id`, which contains an account's token or its id in canonical decimal. */
export function parseAccountReference(check: FieldCheck, request: { readonly accountId?: string | undefined }): string {
  return check.required("account_id", request.accountId, findLookupKeyProblem);
}

function findAccountIdProblem(id: number): string | undefined {
  return id >= 1 ? undefined : "must be a positive integer";
}
