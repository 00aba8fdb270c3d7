import { FieldCheck } from "./field-check.js";
import type {
  CreateAccountRequest,
  GetAccountRequest,
  ListAccountsRequest,
  UpdateAccountRequest,
} from "./gen/calltracking/v1/account_pb.js";
import { type PageRequest, parsePage } from "./page.js";
import { parseRequestId } from "./request-id.js";
import { referenceProblem, tokenProblem } from "./text.js";

/**
 * The token of the account to create, and the id of the request.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseCreateAccount(request: CreateAccountRequest): {
  readonly accountToken: string;
  readonly requestId: string | undefined;
} {
  const check = new FieldCheck();
  return check.done({
    accountToken: check.required("account_token", request.accountToken, tokenProblem),
    requestId: parseRequestId(check, request),
  });
}

/**
 * The id of the account to read.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseGetAccount(request: GetAccountRequest): { readonly id: number } {
  const check = new FieldCheck();
  return check.done({ id: check.required("id", request.id, accountIdProblem) });
}

/**
 * The part of the list of accounts to read.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseListAccounts(request: ListAccountsRequest): { readonly page: PageRequest } {
  const check = new FieldCheck();
  return check.done({ page: parsePage(check, request) });
}

/**
 * The id of the account to update, and whether it is to be active.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseUpdateAccount(request: UpdateAccountRequest): { readonly id: number; readonly isActive: boolean } {
  const check = new FieldCheck();
  const id = check.required("id", request.id, accountIdProblem);
  return check.done({ id, isActive: check.required("is_active", request.isActive, () => undefined) });
}

/** Reads the `account_id` that names an account in every other request: its token, or its id in canonical decimal. */
export function parseAccountReference(check: FieldCheck, request: { readonly accountId?: string | undefined }): string {
  return check.required("account_id", request.accountId, referenceProblem);
}

function accountIdProblem(id: number): string | undefined {
  return id >= 1 ? undefined : "must be a positive integer";
}
