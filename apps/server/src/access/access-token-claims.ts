import { DomainError } from "@calltrack/domain";
import type { JWTHeaderParameters, JWTPayload } from "jose";

/** The media types of an access token (RFC 9068) and of any JWT (RFC 7519), without `application/`. */
const ACCEPTED_TYPES: ReadonlySet<unknown> = new Set(["at+jwt", "jwt"]);

/** OpenID Connect Core 1.0, sections 2 and 3: an ID token is for the client that asked for it, not for a service. */
const ID_TOKEN_CLAIMS = ["nonce", "at_hash"];

/**
 * Checks that a verified JWT is an access token. Many issuers set no `typ` or `JWT`, so ID tokens are recognised by their claims.
 *
 * @throws DomainError `ACCESS_TOKEN_INVALID`
 */
export function requireAccessToken({ typ }: Pick<JWTHeaderParameters, "typ">, payload: JWTPayload): void {
  // RFC 7515 section 4.1.9: the prefix may be left out, and media types ignore case.
  const type = typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : typ;
  if (type !== undefined && !ACCEPTED_TYPES.has(type))
    throw invalidToken("its typ header must be at+jwt, JWT or absent");
  const claim = ID_TOKEN_CLAIMS.find((name) => name in payload);
  if (claim !== undefined) throw invalidToken(`it has the claim ${claim}, which only ID tokens have`);
}

/**
 * The subject of a token: with the issuer it identifies the caller, so it must be there (RFC 9068 section 2.2), and is refused where
 * PostgreSQL cannot store it. If its characters were replaced, two subjects could become one.
 *
 * @throws DomainError `ACCESS_TOKEN_INVALID`
 */
export function requireSubject({ sub }: { readonly sub?: unknown }): string {
  if (typeof sub === "string" && sub !== "" && sub.isWellFormed() && !sub.includes("\0")) return sub;
  throw invalidToken("its sub claim must be non-empty text without NUL or unpaired surrogates");
}

/** Refuses a token; `problem` completes the sentence "the access token is not valid (…)". */
export function invalidToken(problem: string): DomainError {
  return new DomainError("ACCESS_TOKEN_INVALID", { problem });
}
