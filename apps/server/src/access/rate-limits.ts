import { type Actor, DomainError } from "@calltrack/domain";
import { addResponseField } from "@calltrack/transcoding";
import type { ContextValues, HandlerContext } from "@connectrpc/connect";
import type { LimitsSettings } from "../config/limits-settings.js";
import type { RateLimit } from "../config/rate-limit.js";
import { Health } from "../gen/health/v1/health_pb.js";
import { clientAddressOf, networkOf } from "../http/limits/client-address.js";
import { requestStateOf } from "../observability/requests/request-state.js";
import { RateLimiter, type RateLimitState } from "./rate-limiter.js";

/**
 * Rate limits of principals, anonymous addresses and failed logins. The methods throw a
 * `RATE_LIMIT_EXCEEDED` error if a limit is exceeded.
 */
export class RateLimits {
  readonly #principals: Policy | undefined;
  readonly #addresses: Policy | undefined;
  /** Failed logins, counted separately from requests to public methods. */
  readonly #failedLogins: Policy | undefined;
  readonly #proxies: LimitsSettings["trustedProxies"];

  constructor({ callerRate, addressRate, trustedProxies }: LimitsSettings) {
    this.#principals = callerRate && createPolicy("caller", callerRate);
    this.#addresses = addressRate && createPolicy("address", addressRate);
    this.#failedLogins = addressRate && createPolicy("address", addressRate);
    this.#proxies = trustedProxies;
  }

  /** Whether the limit per address is enabled. */
  get countsAddresses(): boolean {
    return this.#addresses !== undefined;
  }

  /** Counts a request of a principal. */
  countPrincipal(actor: Actor, context: HandlerContext): void {
    if (this.#principals !== undefined) take(this.#principals, principalNameOf(actor), context);
  }

  /** Counts an anonymous request. Health checks are not limited. */
  countAddress(context: HandlerContext): void {
    if (this.#addresses === undefined || context.service === Health) return;
    take(this.#addresses, this.#addressOf(context.values), context);
  }

  /** Counts a failed login. */
  countFailedLogin(values: ContextValues, context: HandlerContext): void {
    if (this.#failedLogins === undefined) return;
    take(this.#failedLogins, this.#addressOf(values), context);
  }

  /** Rejects an address with too many failed logins before its credentials are checked. */
  requireNotBlocked(values: ContextValues): void {
    const now = performance.now();
    // Usually there are no recent failed logins, and the address need not be computed.
    if (this.#failedLogins === undefined || this.#failedLogins.limiter.isIdle(now)) return;
    const state = this.#failedLogins.limiter.peek(this.#addressOf(values), now);
    if (!state.isAllowed) throw refusal(state);
  }

  /** Returns the address or network that a request is counted for; see `networkOf`. */
  #addressOf(values: ContextValues): string {
    const state = requestStateOf(values);
    return state === undefined ? "" : networkOf(clientAddressOf(state.request, this.#proxies));
  }
}

/** A rate limit as responses name it. */
interface Policy {
  /** The name as a structured string, with its quotes. */
  readonly name: string;
  readonly limiter: RateLimiter;
  /** The `RateLimit-Policy` header: https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/11/ */
  readonly header: string;
}

function createPolicy(name: string, rate: RateLimit): Policy {
  const { quota, windowMs } = rate;
  return { name: `"${name}"`, limiter: new RateLimiter(rate), header: `"${name}";q=${quota};w=${windowMs / 1000}` };
}

/** Counts a request, and tells the response what remains. */
function take({ name, limiter, header }: Policy, key: string, context: HandlerContext): void {
  const state = limiter.take(key, performance.now());
  addResponseField(context, "ratelimit", `${name};r=${state.remaining};t=${Math.ceil(state.waitMs / 1000)}`);
  addResponseField(context, "ratelimit-policy", header);
  if (!state.isAllowed) throw refusal(state);
}

function refusal({ waitMs }: RateLimitState): DomainError {
  return new DomainError("RATE_LIMIT_EXCEEDED", { retryAfterS: Math.max(1, Math.ceil(waitMs / 1000)) });
}

/** Names the principal by which requests are counted. */
export function principalNameOf(actor: Actor): string {
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
