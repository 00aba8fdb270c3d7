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
 * Parses a request to create an account.
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
 * Parses a request to get an account.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseGetAccount(request: GetAccountRequest): { readonly id: number } {
  const check = new FieldCheck();
  return check.done({ id: check.required("id", request.id, accountIdProblem) });
}

/**
 * Parses a request to list accounts.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseListAccounts(request: ListAccountsRequest): { readonly page: PageRequest } {
  const check = new FieldCheck();
  return check.done({ page: parsePage(check, request) });
}

/**
 * Parses a request to enable or disable an account.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseUpdateAccount(request: UpdateAccountRequest): { readonly id: number; readonly isActive: boolean } {
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
