/** The issuer whose access tokens are accepted, and the meaning of the claims in these tokens (OpenID Connect Core 1.0, RFC 9068). */
export interface IssuerSettings {
  /** The required `iss` claim, and the base URL for OpenID Connect Discovery, which finds the issuer's public keys. */
  readonly issuer: string;
  /** The audience that the `aud` claim must contain. */
  readonly audience: string;
  /** The name of the claim with the scopes. Its value is an array or a space-separated string. */
  readonly scopeClaim: string;
  /**
   * The name of the claim with the token or id of the account to which the principal is bound. The claim value `*` stands for all accounts. If
   * `accountClaim` is empty, no principal is bound to an account.
   */
  readonly accountClaim: string;
  /** The id of the public client (RFC 6749 section 2.1) with which the console signs users in. Undefined if the console does not offer sign-in. */
  readonly clientId?: string | undefined;
  /** The scopes that the console requests when users sign in, separated by spaces (RFC 6749 section 3.3). */
  readonly signInScope: string;
}

/**
 * Whether a text is a valid issuer URL. Requires HTTPS unless the host is a loopback host, because an attacker who impersonates the issuer
 * could authenticate as anyone. Rejects a user name and a password, with which `fetch` sends no requests.
 */
export function isIssuerUrl(text: string): boolean {
  const url = URL.parse(text);
  // `URL.parse` also accepts a URL without slashes, but no issuer states such a URL as its name.
  if (url === null || !text.startsWith(`${url.protocol}//`) || `${url.username}${url.password}` !== "") return false;
  const isLocal = url.protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  return (url.protocol === "https:" || isLocal) && url.search === "" && url.hash === "";
}
