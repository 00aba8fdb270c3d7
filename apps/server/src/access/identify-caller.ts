import { type Caller, DomainError } from "@calltrack/domain";
import type { ContextValues, HandlerContext } from "@connectrpc/connect";
import { recordOfCall } from "../observability/requests/request-record.js";
import type { Authenticate } from "./authenticator.js";
import type { RateLimits } from "./rate-limits.js";

/**
 * Finds out who makes a request, by its header `Authorization` and the certificate of its client; see `Authenticate`.
 *
 * @param context receives the headers of the rate limit.
 */
export type IdentifyCaller = (
  authorization: string | null,
  values: ContextValues,
  context: HandlerContext,
) => Caller | Promise<Caller>;

/** Counts whoever cannot be told, and does not listen to addresses that too many of them are at. */
export function createIdentifyCaller(authenticate: Authenticate, rates: RateLimits): IdentifyCaller {
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
