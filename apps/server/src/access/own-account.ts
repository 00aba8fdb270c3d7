import type { Message } from "@bufbuild/protobuf";
import { DomainError, requireOwnAccount } from "@calltrack/domain";
import type { ContextValues } from "@connectrpc/connect";
import type { AccountReference, MethodAccess } from "./method-access.js";
import { principalKey } from "./principal-context.js";

/**
 * Rejects a request that names an account other than the one to which the principal is bound.
 *
 * @throws DomainError `ACCOUNT_NOT_FOUND`, or `UNAUTHENTICATED` if the request gate has not run for a method that is not public
 */
export function checkAccount(access: MethodAccess, request: Message, values: ContextValues): void {
  if (access === "public") return;
  const principal = values.get(principalKey);
  if (principal === undefined) throw new DomainError("UNAUTHENTICATED", {});
  if (access.reach !== "account" || principal.account === undefined) return;
  const { accountId, id } = request as AccountReference;
  const name = accountId ?? id?.toString();
  if (name !== undefined) requireOwnAccount(principal, name);
}
