import { type Actor, DomainError } from "@calltrack/domain";
import { networkOf } from "@calltrack/http";
import { addResponseField } from "@calltrack/transcoding";
import type { ConnectError, ContextValues, HandlerContext } from "@connectrpc/connect";
import type { LimitsSettings, RateLimit } from "../config/limits-settings.js";
import { connectErrorOf } from "../errors/domain-error.js";
import { Health } from "../gen/health/v1/health_pb.js";
import { recordOfCall } from "../observability/requests/request-record.js";

import { RateLimiter, type RateLimitState } from "./rate-limiter.js";

/**
 * Rate limits of authenticated callers, anonymous addresses and failed logins. The methods throw a
 * `RATE_LIMIT_EXCEEDED` error if a limit is exceeded.
 */
export class RateLimits {
  readonly #callers: RateLimiter | undefined;
  readonly #addresses: RateLimiter | undefined;
  /** Failed logins, counted separately from requests to public methods. */
  readonly #failedLogins: RateLimiter | undefined;
  readonly #proxies: LimitsSettings["trustedProxies"];

  constructor({ callerRate, addressRate, trustedProxies }: LimitsSettings) {
    this.#callers = callerRate && new RateLimiter(callerRate);
    this.#addresses = addressRate && new RateLimiter(addressRate);
    this.#failedLogins = addressRate && new RateLimiter(addressRate);
    this.#proxies = trustedProxies;
  }

  /** Whether the limit per address is enabled. */
  get countsAddresses(): boolean {
    return this.#addresses !== undefined;
  }

  /** Counts a request of an authenticated caller. */
  countCaller(actor: Actor, context: HandlerContext): void {
    if (this.#callers !== undefined) this.#take(this.#callers, "caller", nameOf(actor), context);
  }

  /** Counts an anonymous request. Health checks are not limited. */
  countAddress(context: HandlerContext): void {
    if (this.#addresses === undefined || context.service === Health) return;
    this.#take(this.#addresses, "address", this.#addressOf(context.values), context);
  }

  /** Counts a failed login. */
  countFailedLogin(values: ContextValues, context: HandlerContext): void {
    if (this.#failedLogins === undefined) return;
    this.#take(this.#failedLogins, "address", this.#addressOf(values), context);
  }

  /** Rejects an address with too many failed logins before its credentials are checked. */
  requireNotBlocked(values: ContextValues): void {
    const now = performance.now();
    // Usually there are no recent failed logins, and the address need not be computed.
    if (this.#failedLogins === undefined || this.#failedLogins.isIdle(now)) return;
    const state = this.#failedLogins.peek(this.#addressOf(values), now);
    if (!state.isAllowed) throw refusal(state);
  }

  /** Returns the address or network that a request is counted for; see `networkOf`. */
  #addressOf(values: ContextValues): string {
    const record = recordOfCall(values);
    return record === undefined ? "" : networkOf(this.#proxies.clientOf(record.exchange));
  }

  #take(limiter: RateLimiter, policy: string, key: string, context: HandlerContext): void {
    const state = limiter.take(key, performance.now());
    addResponseField(context, "ratelimit", `"${policy}";r=${state.remaining};t=${Math.ceil(state.waitMs / 1000)}`);
    addResponseField(context, "ratelimit-policy", policyOf(policy, limiter.rate));
    if (!state.isAllowed) throw refusal(state);
  }
}

/** Creates the request gate of a server without authentication. It limits requests per address. */
export function createAddressGate(rates: RateLimits) {
  return (context: HandlerContext): Promise<void> | undefined => {
    try {
      rates.countAddress(context);
      return undefined;
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

function refusal({ waitMs }: RateLimitState): ConnectError {
  return connectErrorOf(new DomainError("RATE_LIMIT_EXCEEDED", { retryAfterS: Math.max(1, Math.ceil(waitMs / 1000)) }));
}

/** Formats the `RateLimit-Policy` header: https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/11/ */
function policyOf(policy: string, { quota, windowMs }: RateLimit): string {
  return `"${policy}";q=${quota};w=${windowMs / 1000}`;
}

function nameOf(actor: Actor): string {
  switch (actor.kind) {
    case "api_key":
      return actor.id;
    case "access_token":
      return `${actor.issuer} ${actor.subject}`;
    case "client_certificate":
      // A certificate authority can sign any name. The prefix keeps names distinct from key ids and token subjects.
      return `certificate ${actor.name}`;
    default:
      return actor.kind;
  }
}
