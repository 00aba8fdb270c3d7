import { requireScope, requireUnbound } from "@calltrack/domain";
import type { HandlerContext } from "@connectrpc/connect";
import type { Logger } from "pino";
import { wireErrorOf } from "../interceptors/domain-error.js";
import type { Authenticate } from "./authenticator.js";
import { callerKey, clientKey } from "./caller-context.js";
import { methodAccess } from "./method-access.js";

/**
 * Creates what every call passes before anything of its request is read, over every protocol: it finds out who calls, notes that
 * for what follows, and refuses callers that may not call the method at all. Which account they may name is seen to where the
 * request is read; see `ownAccountInterceptor`.
 */
export function createRequestGate(authenticate: Authenticate, log: Logger): (context: HandlerContext) => Promise<void> {
  return async ({ method, requestHeader, values }) => {
    try {
      const access = methodAccess(method);
      if (access === "public") return;
      const caller = await authenticate(requestHeader.get("authorization"), values.get(clientKey));
      requireScope(caller, access.scope);
      if (access.reach === "service") requireUnbound(caller);
      values.set(callerKey, caller);
    } catch (thrown) {
      const error = wireErrorOf(thrown, log);
      if (log.isLevelEnabled("debug")) {
        log.debug({ method: `${method.parent.typeName}/${method.name}`, refused: error.rawMessage }, "request refused");
      }
      throw error;
    }
  };
}
