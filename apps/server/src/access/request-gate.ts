import { DomainError, type Principal, rejectAccountBoundPrincipal, requireScope } from "@calltrack/domain";
import type { HandlerContext } from "@connectrpc/connect";
import type { Logger } from "pino";
import { createRequestLogFields } from "../observability/requests/request-log.js";
import { findRequestState } from "../observability/requests/request-state.js";
import type { RequestAuthenticator } from "./authenticator.js";
import type { ClientRateLimiter } from "./client-rate-limiter.js";
import type { MethodAccessLookup, RestrictedAccess } from "./method-access.js";
import { principalContextKey } from "./principal-context.js";

/**
 * Creates the gate that every RPC passes before its request body is read. The gate authenticates the principal, stores it in the context, and
 * rejects principals that may not call the method. It runs synchronously if the credentials are cached. `requireAccountAccess` checks the
 * account in the request later.
 *
 * @param authenticate undefined without authentication: the gate then only enforces the rate limit per client address.
 */
export function createRequestGate(
  accessOf: MethodAccessLookup,
  authenticate: RequestAuthenticator | undefined,
  rates: ClientRateLimiter,
  log: Logger,
): (context: HandlerContext) => Promise<void> | undefined {
  function identify(context: HandlerContext, authenticate: RequestAuthenticator): Principal | Promise<Principal> {
    const { values } = context;
    const countRefused = (error: unknown): never => {
      if (error instanceof DomainError && !error.is("ISSUER_UNAVAILABLE")) rates.countFailedLogin(values, context);
      throw error;
    };
    rates.requireNotBlocked(values);
    try {
      const principal = authenticate(authorizationOf(context), findRequestState(values)?.request.peer.certificateName);
      return principal instanceof Promise ? principal.catch(countRefused) : principal;
    } catch (error) {
      return countRefused(error);
    }
  }

  function admit(principal: Principal, { scope, orScope, reach }: RestrictedAccess, context: HandlerContext): void {
    rates.countPrincipal(principal.actor, context);
    if (scope !== "any") requireScope(principal, scope, orScope);
    if (reach === "service") rejectAccountBoundPrincipal(principal);
    context.values.set(principalContextKey, principal);
  }

  function refuse(thrown: unknown, { method, values }: HandlerContext): Promise<never> {
    const state = findRequestState(values);
    if (log.isLevelEnabled("debug")) {
      const name = `${method.parent.typeName}/${method.name}`;
      log.debug(
        { ...createRequestLogFields(state), method: name, refused: (thrown as Error).message },
        "request rejected",
      );
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
  const state = findRequestState(context.values);
  // Avoids `context.requestHeader`, which builds a Headers object from all headers. That takes longer than all other steps of the gate.
  return state === undefined
    ? context.requestHeader.get("authorization")
    : (state.request.header("authorization") ?? null);
}
