import { type Actor, DomainError } from "@calltrack/domain";
import { networkOf } from "@calltrack/http";
import { addResponseField } from "@calltrack/transcoding";
import type { ConnectError, ContextValues, HandlerContext } from "@connectrpc/connect";
import type { LimitsSettings, Rate } from "../config/limits-settings.js";
import { connectErrorOf } from "../errors/domain-error.js";
import { Health } from "../gen/health/v1/health_pb.js";
import { recordOfCall } from "../observability/requests/request-record.js";

import { RateLimiter, type RateLimitState } from "./rate-limiter.js";

/** How often callers, and addresses that none is known of, may ask. Beyond, it throws what they are answered with. */
export class RateLimits {
  readonly #callers: RateLimiter | undefined;
  readonly #addresses: RateLimiter | undefined;
  /** Counts who is not let in, apart from what is asked of what is public. */
  readonly #failedLogins: RateLimiter | undefined;
  readonly #proxies: LimitsSettings["trustedProxies"];

  constructor({ callerRate, addressRate, trustedProxies }: LimitsSettings) {
    this.#callers = callerRate && new RateLimiter(callerRate);
    this.#addresses = addressRate && new RateLimiter(addressRate);
    this.#failedLogins = addressRate && new RateLimiter(addressRate);
    this.#proxies = trustedProxies;
  }

  /** Whether addresses count, so that they have to be known. */
  get countsAddresses(): boolean {
    return this.#addresses !== undefined;
  }

  /** Counts a request of a caller. */
  countCaller(actor: Actor, context: HandlerContext): void {
    if (this.#callers !== undefined) this.#take(this.#callers, "caller", nameOf(actor), context);
  }

  /** Counts a request of nobody who is known. Health may always be asked about. */
  countAddress(context: HandlerContext): void {
    if (this.#addresses === undefined || context.service === Health) return;
    this.#take(this.#addresses, "address", this.#addressOf(context.values), context);
  }

  /** Counts a request of somebody who is not let in. */
  countFailedLogin(values: ContextValues, context: HandlerContext): void {
    if (this.#failedLogins === undefined) return;
    this.#take(this.#failedLogins, "address", this.#addressOf(values), context);
  }

  /** Refuses an address of which too many were not let in: what it shows is not looked at for the time being. */
  requireNotBlocked(values: ContextValues): void {
    const now = performance.now();
    // Most of the time nobody was refused lately, and no address has to be worked out.
    if (this.#failedLogins === undefined || this.#failedLogins.isIdle(now)) return;
    const state = this.#failedLogins.peek(this.#addressOf(values), now);
    if (!state.isAllowed) throw refusal(state);
  }

  /** The address that a request is of, as it counts; see `networkOf`. */
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

/** Creates the gate of a server that authenticates nobody: it counts addresses. */
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

/** https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/11/ */
function policyOf(policy: string, { quota, windowMs }: Rate): string {
  return `"${policy}";q=${quota};w=${windowMs / 1000}`;
}

function nameOf(actor: Actor): string {
  switch (actor.kind) {
    case "api_key":
      return actor.id;
    case "access_token":
      return `${actor.issuer} ${actor.subject}`;
    case "client_certificate":
      // Names are whatever an authority has signed: none is taken for the id of a key, or for a token's subject.
      return `certificate ${actor.name}`;
    default:
      return actor.kind;
  }
}
