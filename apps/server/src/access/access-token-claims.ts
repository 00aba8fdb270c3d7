import { DomainError } from "@calltrack/domain";
import type { JWTHeaderParameters, JWTPayload } from "jose";

/** Accepted `typ` values, without the `application/` prefix: access tokens (RFC 9068) and any JWT (RFC 7519). */
const ACCEPTED_TYPES: ReadonlySet<unknown> = new Set(["at+jwt", "jwt"]);

/**
 * Claims that mark a JWT as an ID token (OpenID Connect Core 1.0, sections 2 and 3). ID tokens are issued to clients,
 * not to services.
 */
const ID_TOKEN_CLAIMS = ["nonce", "at_hash"];

/**
 * Checks that a verified JWT is an access token. Many issuers omit `typ` or set it to `JWT`, so ID tokens are
 * detected by their claims.
 *
 * @throws DomainError `ACCESS_TOKEN_INVALID`
 */
export function requireAccessToken({ typ }: Pick<JWTHeaderParameters, "typ">, payload: JWTPayload): void {
  // RFC 7515 section 4.1.9: the `application/` prefix is optional, and media types are case-insensitive.
  const type = typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : typ;
  if (type !== undefined && !ACCEPTED_TYPES.has(type))
    throw invalidToken("its typ header must be at+jwt, JWT or absent");
  const claim = ID_TOKEN_CLAIMS.find((name) => name in payload);
  if (claim !== undefined) throw invalidToken(`it has the claim ${claim}, which only ID tokens have`);
}

/**
 * Returns the subject of a token, which identifies the caller together with the issuer (RFC 9068 section 2.2).
 * Rejects subjects that PostgreSQL cannot store. Replacing their invalid characters could make two subjects equal.
 *
 * @throws DomainError `ACCESS_TOKEN_INVALID`
 */
export function requireSubject({ sub }: { readonly sub?: unknown }): string {
  if (typeof sub === "string" && sub !== "" && sub.isWellFormed() && !sub.includes("\0")) return sub;
  throw invalidToken("its sub claim must be non-empty text without NUL or unpaired surrogates");
}

/**
 * Creates the error for a rejected token.
 *
 * @param problem the reason as a clause with a lowercase "it", such as "it is not a JWT".
 */
export function invalidToken(problem: string): DomainError {
  return new DomainError("ACCESS_TOKEN_INVALID", { problem });
}
