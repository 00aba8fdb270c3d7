import { type Caller, DomainError } from "@calltrack/domain";
import type { ContextValues, HandlerContext } from "@connectrpc/connect";
import { recordOfCall } from "../observability/requests/request-record.js";
import type { Authenticate } from "./authenticator.js";
import type { RateLimits } from "./rate-limits.js";

/**
 * Identifies the caller of a request by its `Authorization` header and client certificate; see `Authenticate`.
 *
 * @param context receives the rate limit headers.
 */
export type IdentifyCaller = (
  authorization: string | null,
  values: ContextValues,
  context: HandlerContext,
) => Caller | Promise<Caller>;

/**
 * Wraps `authenticate` so that failed logins are counted per address. Rejects addresses over the limit before
 * checking their credentials.
 */
export function limitFailedLogins(authenticate: Authenticate, rates: RateLimits): IdentifyCaller {
  return (authorization, values, context) => {
    const refuse = (error: unknown): never => {
      if (error instanceof DomainError && !error.is("ISSUER_UNAVAILABLE")) rates.countFailedLogin(values, context);
      throw error;
    };
    rates.requireNotBlocked(values);
    try {
      const caller = authenticate(authorization, recordOfCall(values)?.exchange.peer.tlsClient);
      return caller instanceof Promise ? caller.catch(refuse) : caller;
    } catch (error) {
      return refuse(error);
    }
  };
}
