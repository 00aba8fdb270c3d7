import { DomainError, type Principal, requireScope, requireUnbound } from "@calltrack/domain";
import type { HandlerContext } from "@connectrpc/connect";
import type { Logger } from "pino";
import { requestFields } from "../observability/requests/request-log.js";
import { requestStateOf } from "../observability/requests/request-state.js";
import type { Authenticate } from "./authenticator.js";
import type { AccessRules, RestrictedAccess } from "./method-access.js";
import { principalKey } from "./principal-context.js";
import type { RateLimits } from "./rate-limits.js";

/**
 * Creates the gate that every RPC passes before its request body is read. It authenticates the principal, stores it in the context, and
 * rejects principals that may not call the method. `checkAccount` checks the account that the request names. The gate runs synchronously
 * if the principal is cached.
 *
 * @param authenticate undefined to enforce only the rate limit per address.
 */
export function createRequestGate(
  accessOf: AccessRules,
  authenticate: Authenticate | undefined,
  rates: RateLimits,
  log: Logger,
): (context: HandlerContext) => Promise<void> | undefined {
  function identify(context: HandlerContext, authenticate: Authenticate): Principal | Promise<Principal> {
    const { values } = context;
    const countRefused = (error: unknown): never => {
      if (error instanceof DomainError && !error.is("ISSUER_UNAVAILABLE")) rates.countFailedLogin(values, context);
      throw error;
    };
    rates.requireNotBlocked(values);
    try {
      const principal = authenticate(authorizationOf(context), requestStateOf(values)?.request.peer.certificateName);
      return principal instanceof Promise ? principal.catch(countRefused) : principal;
    } catch (error) {
      return countRefused(error);
    }
  }

  function admit(principal: Principal, { scope, orScope, reach }: RestrictedAccess, context: HandlerContext): void {
    rates.countPrincipal(principal.actor, context);
    if (scope !== "any") requireScope(principal, scope, orScope);
    if (reach === "service") requireUnbound(principal);
    context.values.set(principalKey, principal);
  }

  function refuse(thrown: unknown, { method, values }: HandlerContext): Promise<never> {
    const state = requestStateOf(values);
    if (log.isLevelEnabled("debug")) {
      const name = `${method.parent.typeName}/${method.name}`;
      log.debug({ ...requestFields(state), method: name, refused: (thrown as Error).message }, "request refused");
    }
    return Promise.reject(thrown);
  }

  return (context) => {
    try {
      const access = accessOf(context.method);
      if (access === "public" || authenticate === undefined) {
        rates.countAddress(context);
        return undefined;
      }
      const principal = identify(context, authenticate);
      if (!(principal instanceof Promise)) {
        admit(principal, access, context);
        return undefined;
      }
      return principal.then((known) => admit(known, access, context)).catch((thrown) => refuse(thrown, context));
    } catch (thrown) {
      return refuse(thrown, context);
    }
  };
}

function authorizationOf(context: HandlerContext): string | null {
  const state = requestStateOf(context.values);
  // `context.requestHeader` builds a Headers object from all headers, which takes longer than the rest of this gate.
  return state === undefined
    ? context.requestHeader.get("authorization")
    : (state.request.header("authorization") ?? null);
}
