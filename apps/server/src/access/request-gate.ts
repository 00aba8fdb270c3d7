import { type Caller, DomainError, requireScope, requireUnbound } from "@calltrack/domain";
import type { HandlerContext } from "@connectrpc/connect";
import type { Logger } from "pino";
import { wireErrorOf } from "../interceptors/domain-error.js";
import type { RateLimits } from "../limits/rate-limits.js";
import { requestFields } from "../requests/request-log.js";
import { recordOfCall } from "../requests/request-record.js";
import type { Authenticate } from "./authenticator.js";
import { callerKey, clientKey } from "./caller-context.js";
import { methodAccess } from "./method-access.js";

/**
 * Creates what every call passes before anything of its request is read, over every protocol: it finds out who calls, notes that
 * for what follows, and refuses callers that may not call the method at all. Which account they may name is seen to where the
 * request is read; see `ownAccountInterceptor`.
 */
export function createRequestGate(
  authenticate: Authenticate,
  rates: RateLimits,
  log: Logger,
): (context: HandlerContext) => Promise<void> {
  async function identify(context: HandlerContext): Promise<Caller> {
    rates.requireNotRefused(context);
    try {
      return await authenticate(authorizationOf(context), context.values.get(clientKey));
    } catch (error) {
      if (error instanceof DomainError && !error.is("ISSUER_UNAVAILABLE")) rates.takeOfRefused(context);
      throw error;
    }
  }

  return async (context) => {
    const { method, values } = context;
    try {
      const access = methodAccess(method);
      if (access === "public") return rates.takeOfAddress(context);
      const caller = await identify(context);
      rates.takeOfCaller(caller.actor, context);
      requireScope(caller, access.scope);
      if (access.reach === "service") requireUnbound(caller);
      values.set(callerKey, caller);
    } catch (thrown) {
      const record = recordOfCall(values);
      const error = wireErrorOf(thrown, log, record);
      if (log.isLevelEnabled("debug")) {
        const name = `${method.parent.typeName}/${method.name}`;
        log.debug({ ...requestFields(record), method: name, refused: error.rawMessage }, "request refused");
      }
      throw error;
    }
  };
}

function authorizationOf({ requestHeader, values }: HandlerContext): string | null {
  const record = recordOfCall(values);
  // To make a Headers of all that came costs more than all the rest of this.
  return record === undefined ? requestHeader.get("authorization") : (record.headers.authorization ?? null);
}
