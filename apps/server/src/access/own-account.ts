import type { Message } from "@bufbuild/protobuf";
import { DomainError, requireOwnAccount } from "@calltrack/domain";
import type { ContextValues } from "@connectrpc/connect";
import type { AccountReference, MethodAccess } from "./method-access.js";
import { principalKey } from "./principal-context.js";

/**
 * Rejects a request that names another account than the one the principal is bound to. Requires the request gate: without
 * it, only public methods pass.
 *
 * @throws DomainError `ACCOUNT_NOT_FOUND`, or `UNAUTHENTICATED` if the request gate has not run
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
