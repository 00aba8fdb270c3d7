/** The issuer of accepted access tokens and the meaning of their claims (OpenID Connect Core 1.0, RFC 9068). */
export interface IssuerSettings {
  /** The `iss` claim of its tokens, and the base URL for OpenID Connect Discovery, which finds its keys. */
  readonly issuer: string;
  /** The required audience (`aud` claim). */
  readonly audience: string;
  /** The claim with the scopes: an array, or a space-separated string. */
  readonly scopeClaim: string;
  /**
   * The claim with the token or id of the account to which the principal is bound; `*` stands for all accounts. If the setting is empty, no
   * principal is bound to an account.
   */
  readonly accountClaim: string;
  /** The id of the public client (RFC 6749 section 2.1) with which the console signs people in; undefined if it does not. */
  readonly clientId?: string | undefined;
  /** The scopes that the console requests, separated by spaces (RFC 6749 section 3.3). */
  readonly signInScope: string;
}

/**
 * Whether a text is a valid issuer URL. Requires HTTPS unless the host is local: an attacker who impersonates the issuer could authenticate
 * as anyone.
 */
export function isIssuerUrl(text: string): boolean {
  const url = URL.parse(text);
  const isLocal = url?.protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  return (url?.protocol === "https:" || isLocal) && url?.search === "" && url.hash === "";
}
