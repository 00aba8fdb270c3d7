import type { Message } from "@bufbuild/protobuf";
import { DomainError, requireAccessibleAccount } from "@calltrack/domain";
import type { ContextValues } from "@connectrpc/connect";
import type { AccountReference, MethodAccess } from "./method-access.js";
import { principalContextKey } from "./principal-context.js";

/**
 * Rejects a request that names another account than the one to which the principal is bound.
 *
 * @throws DomainError `ACCOUNT_NOT_FOUND`; `UNAUTHENTICATED` if the method is not public and the request gate has not run
 */
export function requireAccountAccess(access: MethodAccess, request: Message, values: ContextValues): void {
  if (access === "public") return;
  const principal = values.get(principalContextKey);
  if (principal === undefined) throw new DomainError("UNAUTHENTICATED", {});
  if (access.reach !== "account" || principal.account === undefined) return;
  const { accountId, id } = request as AccountReference;
  const name = accountId ?? id?.toString();
  if (name !== undefined) requireAccessibleAccount(principal, name);
}
