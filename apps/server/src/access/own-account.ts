import type { DescMethod, Message } from "@bufbuild/protobuf";
import { DomainError, requireOwnAccount } from "@calltrack/domain";
import type { ContextValues, Interceptor } from "@connectrpc/connect";
import { callerKey } from "./caller-context.js";
import { type AccountReference, methodAccess } from "./method-access.js";

/**
 * Rejects requests that name another account than the one the caller is bound to. Requires the request gate: without
 * it, only public methods pass.
 */
export const ownAccountInterceptor: Interceptor = (next) => (request) => {
  const { method, contextValues } = request;
  if (request.stream) return next({ ...request, message: checkEach(method, request.message, contextValues) });
  try {
    checkAccount(method, request.message, contextValues);
  } catch (error) {
    return Promise.reject(error);
  }
  return next(request);
};

async function* checkEach<T extends Message>(
  method: DescMethod,
  messages: AsyncIterable<T>,
  values: ContextValues,
): AsyncIterable<T> {
  for await (const message of messages) {
    checkAccount(method, message, values);
    yield message;
  }
}

/**
 * Rejects a request that names another account than the one the caller is bound to.
 *
 * @throws DomainError `ACCOUNT_NOT_FOUND`, or `UNAUTHENTICATED` if the request gate has not run
 */
export function checkAccount(method: DescMethod, request: Message, values: ContextValues): void {
  const access = methodAccess(method);
  if (access === "public") return;
  const caller = values.get(callerKey);
  if (caller === undefined) throw new DomainError("UNAUTHENTICATED", {});
  if (access.reach !== "account" || caller.account === undefined) return;
  const { accountId, id } = request as AccountReference;
  const name = accountId ?? id?.toString();
  if (name !== undefined) requireOwnAccount(caller, name);
}
