import { hash } from "node:crypto";
import {
  DomainError,
  NONEXISTENT_ACCOUNT_ID,
  type Principal,
  type PrincipalAccount,
  type PrincipalIdentity,
  SCOPES,
  type Scope,
} from "@calltrack/domain";
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { IssuerSettings } from "../config/issuer-settings.js";
import type { AccountDirectory } from "./account-directory.js";
import { createIssuerKeyFinder } from "./issuer-key-finder.js";

/** The accepted `typ` headers, without the prefix `application/`: access tokens (RFC 9068) and JWTs of any kind (RFC 7519). */
const ACCEPTED_TYPES: ReadonlySet<unknown> = new Set(["at+jwt", "jwt"]);

/** Claims that only ID tokens have (OpenID Connect Core 1.0, sections 2 and 3). ID tokens are for clients, and must not be accepted by services. */
const ID_TOKEN_CLAIMS = ["nonce", "at_hash"];

/**
 * Checks that a verified JWT is an access token. Many issuers omit `typ` or set it to `JWT`, so ID tokens are detected by their claims.
 *
 * @throws DomainError `ACCESS_TOKEN_INVALID`
 */
function requireAccessToken({ typ }: Pick<JWTHeaderParameters, "typ">, payload: JWTPayload): void {
  // RFC 7515 section 4.1.9: the prefix `application/` is optional, and media types are case-insensitive.
  const type = typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : typ;
  if (type !== undefined && !ACCEPTED_TYPES.has(type)) throw invalidToken("its typ header is neither at+jwt nor JWT");
  const claim = ID_TOKEN_CLAIMS.find((name) => name in payload);
  if (claim !== undefined) throw invalidToken(`it has the claim ${claim}, which only ID tokens have`);
}

/**
 * Returns the subject of an access token, which identifies the principal together with the issuer (RFC 9068 section 2.2). Rejects subjects
 * that PostgreSQL cannot store, because replacing their invalid characters could make two subjects equal.
 *
 * @throws DomainError `ACCESS_TOKEN_INVALID`
 */
function requireSubject({ sub }: { readonly sub?: unknown }): string {
  if (isStorable(sub)) return sub;
  throw invalidToken("its sub claim is missing, is empty, is not text, or contains NUL or an unpaired surrogate");
}

/** Whether a claim is non-empty text that PostgreSQL can store. */
function isStorable(claim: unknown): claim is string {
  return typeof claim === "string" && claim !== "" && claim.isWellFormed() && !claim.includes("\0");
}

/** @param problem completes the sentence "the access token is not valid, because …". */
function invalidToken(problem: string): DomainError {
  return new DomainError("ACCESS_TOKEN_INVALID", { problem });
}

/** All are asymmetric. With a symmetric algorithm, the public verification key could also sign tokens. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** The first and the last time that `google.protobuf.Timestamp` can represent. */
const MIN_TIMESTAMP_MS = Date.parse("0001-01-01T00:00:00Z");
const MAX_TIMESTAMP_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Tolerated difference between the issuer's clock and this server's clock. */
const CLOCK_SKEW_S = 30;

const MAX_TOKENS = 20_000;

/** Maximum time for which a verified token is cached. */
const CACHED_MS = 30_000;

/** The principal of a cached token. `until` is when the cache entry expires, in milliseconds since the Unix epoch. */
interface Verified {
  readonly principal: Principal;
  readonly until: number;
}

/** Whether a cache entry is still valid. If the clock was set back, rejects entries that would now be valid for too long. */
function isFresh({ until }: Verified): boolean {
  const leftMs = until - Date.now();
  return leftMs > 0 && leftMs <= CACHED_MS;
}

/** Creates a verifier of JWT access tokens (RFC 7519, RFC 9068). It caches verified tokens for up to 30 seconds. */
export function createAccessTokenVerifier(settings: IssuerSettings, accounts: AccountDirectory, log: Logger) {
  const { issuer, audience, accountClaim } = settings;
  const findKey = createIssuerKeyFinder(issuer, log);
  const rules = { issuer, audience, algorithms: ALGORITHMS, clockTolerance: CLOCK_SKEW_S, requiredClaims: ["exp"] };
  const verified = new LRUCache<string, Verified>({ max: MAX_TOKENS });

  async function readPayload(text: string): Promise<JWTPayload> {
    const { protectedHeader, payload } = await jwtVerify(text, findKey, rules).catch((error) => {
      throw refusalOf(error);
    });
    requireAccessToken(protectedHeader, payload);
    return payload;
  }

  return {
    /**
     * Returns the principal that an access token identifies.
     *
     * @throws DomainError `ACCESS_TOKEN_INVALID`, `ACCESS_TOKEN_EXPIRED` or `ISSUER_UNAVAILABLE`, or the error of a database query.
     */
    async verify(text: string): Promise<Principal> {
      // The cache is keyed by hashes, so that the timing of lookups reveals nothing about cached tokens.
      const digest = hash("sha256", text);
      const known = verified.get(digest);
      if (known !== undefined && isFresh(known)) return known.principal;
      const payload = await readPayload(text);
      const actor: PrincipalIdentity = { kind: "access_token", issuer, subject: requireSubject(payload) };
      const account = accountClaim === "" ? undefined : await findAccount(accounts, accountOf(payload, accountClaim));
      const expiresAt = expiryOf(payload);
      const principal: Principal = { actor, scopes: scopesOf(payload, settings), account, expiresAt };
      const until = Math.min(Date.now() + CACHED_MS, expiresAt.getTime() + CLOCK_SKEW_S * 1000);
      if (account?.id !== NONEXISTENT_ACCOUNT_ID) verified.set(digest, { principal, until });
      return principal;
    },
  };
}

/** Returns the expiry of a token, clamped to the range of times that a response can contain. */
function expiryOf({ exp }: JWTPayload): Date {
  return new Date(Math.max(MIN_TIMESTAMP_MS, Math.min(Number(exp) * 1000, MAX_TIMESTAMP_MS)));
}

function refusalOf(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (error instanceof errors.JWTExpired) {
    return new DomainError("ACCESS_TOKEN_EXPIRED", { expiredAt: expiryOf(error.payload) });
  }
  if (error instanceof errors.JWTClaimValidationFailed)
    return invalidToken(`its ${error.claim} claim is missing or has a wrong value`);
  if (error instanceof errors.JOSEError) return invalidToken("it is not a JWT signed by the issuer");
  // The issuer publishes such a key, and any client can name it in a token, so this is not a failure of the service.
  return invalidToken("the issuer's key that it names is too short or malformed");
}

/** An optional prefix of Calltrack's scopes, for issuers that issue scopes for several services. */
const SCOPE_PREFIX = "calltrack:";

/** Returns the Calltrack scopes in a token, which may have the prefix `SCOPE_PREFIX`. Ignores all other scopes. */
function scopesOf(payload: JWTPayload, { scopeClaim }: IssuerSettings): ReadonlySet<Scope> {
  const claim = payload[scopeClaim];
  const names = new Set<unknown>(typeof claim === "string" ? claim.split(" ") : Array.isArray(claim) ? claim : []);
  return new Set(SCOPES.filter((scope) => names.has(scope) || names.has(SCOPE_PREFIX + scope)));
}

/**
 * Returns the token or id of the account to which the claim binds the principal. Returns undefined if the claim is `*`, which stands for all
 * accounts.
 *
 * @throws DomainError `ACCESS_TOKEN_INVALID` if the claim names no account
 */
function accountOf(payload: JWTPayload, accountClaim: string): string | undefined {
  const claim = payload[accountClaim];
  if (claim === "*") return undefined;
  if (isStorable(claim) || typeof claim === "number") return String(claim);
  throw invalidToken(`its ${accountClaim} claim does not name an account`);
}

async function findAccount(
  accounts: AccountDirectory,
  name: string | undefined,
): Promise<PrincipalAccount | undefined> {
  if (name === undefined) return undefined;
  const found = await accounts.find(name);
  return found === undefined
    ? { id: NONEXISTENT_ACCOUNT_ID, token: name }
    : { id: found.accountId, token: found.accountToken };
}
