import { DomainError, type PrincipalIdentity } from "@calltrack/domain";
import { addResponseHeader } from "@calltrack/transcoding";
import type { ContextValues, HandlerContext } from "@connectrpc/connect";
import type { LimitsSettings } from "../config/limits-settings.js";
import type { RateLimit } from "../config/rate-limit.js";
import { Health } from "../gen/health/v1/health_pb.js";
import { readClientAddress, toClientNetwork } from "../http/limits/client-address.js";
import { findRequestState } from "../observability/requests/request-state.js";
import { RateLimiter, type RateLimitState } from "./rate-limiter.js";

/**
 * Limits the rates of requests per principal, of anonymous requests per client address, and of failed logins per client address. The
 * methods throw a DomainError `RATE_LIMIT_EXCEEDED` if a limit is exceeded.
 */
export class ClientRateLimiter {
  readonly #principals: Policy | undefined;
  readonly #addresses: Policy | undefined;
  /** Has the same quota as `#addresses`, but separate counts: requests to public methods do not block logins. */
  readonly #failedLogins: Policy | undefined;
  readonly #proxies: LimitsSettings["trustedProxies"];

  constructor({
    callerRate,
    addressRate,
    trustedProxies,
  }: Pick<LimitsSettings, "callerRate" | "addressRate" | "trustedProxies">) {
    this.#principals = callerRate && createPolicy("caller", callerRate);
    this.#addresses = addressRate && createPolicy("address", addressRate);
    this.#failedLogins = addressRate && createPolicy("address", addressRate);
    this.#proxies = trustedProxies;
  }

  get countsAddresses(): boolean {
    return this.#addresses !== undefined;
  }

  countPrincipal(actor: PrincipalIdentity, context: HandlerContext): void {
    if (this.#principals !== undefined) take(this.#principals, formatPrincipalName(actor), context);
  }

  /** Counts an anonymous request toward the limit of the client's address. Ignores health checks. */
  countAddress(context: HandlerContext): void {
    if (this.#addresses === undefined || context.service === Health) return;
    take(this.#addresses, this.#addressOf(context.values), context);
  }

  /** Counts a failed login toward the limit of the client's address. */
  countFailedLogin(values: ContextValues, context: HandlerContext): void {
    if (this.#failedLogins === undefined) return;
    take(this.#failedLogins, this.#addressOf(values), context);
  }

  /** Rejects a request from an address with too many failed logins. Call it before the credentials are checked. */
  requireNotBlocked(values: ContextValues): void {
    const now = performance.now();
    // Usually no login has failed recently, and finding the client's address is unnecessary.
    if (this.#failedLogins === undefined || this.#failedLogins.limiter.isIdle(now)) return;
    const state = this.#failedLogins.limiter.peek(this.#addressOf(values), now);
    if (!state.isAllowed) throw refusal(state);
  }

  /** Returns the client address or network toward whose limit a request counts; see `toClientNetwork`. */
  #addressOf(values: ContextValues): string {
    const state = findRequestState(values);
    return state === undefined ? "" : toClientNetwork(readClientAddress(state.request, this.#proxies));
  }
}

/** A rate limit and the texts that describe it in response headers. */
interface Policy {
  /** The policy's name in quotes, as a string in a structured header field (RFC 9651 section 3.3.3). */
  readonly name: string;
  readonly limiter: RateLimiter;
  /** The value of the `RateLimit-Policy` header (https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/11/). */
  readonly header: string;
}

function createPolicy(name: string, rate: RateLimit): Policy {
  const { quota, windowMs } = rate;
  return { name: `"${name}"`, limiter: new RateLimiter(rate), header: `"${name}";q=${quota};w=${windowMs / 1000}` };
}

/**
 * Counts a request toward the limit of `key`, and adds the remaining quota to the response headers.
 *
 * @throws DomainError `RATE_LIMIT_EXCEEDED` if the quota is used up
 */
function take({ name, limiter, header }: Policy, key: string, context: HandlerContext): void {
  const state = limiter.take(key, performance.now());
  addResponseHeader(context, "ratelimit", `${name};r=${state.remaining};t=${Math.ceil(state.waitMs / 1000)}`);
  addResponseHeader(context, "ratelimit-policy", header);
  if (!state.isAllowed) throw refusal(state);
}

function refusal({ waitMs }: RateLimitState): DomainError {
  return new DomainError("RATE_LIMIT_EXCEEDED", { retryAfterS: Math.max(1, Math.ceil(waitMs / 1000)) });
}

/** Returns a unique name of a principal, under which its requests and open streams are counted. */
export function formatPrincipalName(actor: PrincipalIdentity): string {
  switch (actor.kind) {
    case "api_key":
      return actor.id;
    case "access_token":
      return `${actor.issuer} ${actor.subject}`;
    case "client_certificate":
      // A certificate authority can sign any name. The prefix prevents certificates from sharing the count of an API key or access token.
      return `certificate ${actor.name}`;
    default:
      return actor.kind;
  }
}
