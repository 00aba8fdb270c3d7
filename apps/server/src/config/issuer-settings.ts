import type { Settings } from "./settings.js";

/** The issuer of accepted access tokens and the meaning of their claims (OpenID Connect Core 1.0, RFC 9068). */
export interface IssuerSettings {
  /** The `iss` claim of its tokens, and the base URL of OpenID Connect Discovery, which finds its keys. */
  readonly issuer: string;
  /** The required audience (`aud` claim). */
  readonly audience: string;
  /** The claim with the scopes: an array, or a string with spaces between the scopes. */
  readonly scopeClaim: string;
  /**
   * The claim with the token or id of the account that the caller is restricted to; `*` stands for all accounts. If the
   * setting is empty, no caller is restricted to an account.
   */
  readonly accountClaim: string;
  /** The public client (RFC 6749 section 2.1) as which the console signs people in; undefined if it does not. */
  readonly clientId?: string | undefined;
  /** The scopes that the console requests, separated by spaces (RFC 6749 section 3.3). */
  readonly signInScope: string;
}

const VARIABLES = ["ISSUER", "AUDIENCE", "SCOPE_CLAIM", "ACCOUNT_CLAIM", "CLIENT_ID", "SCOPE"].map(
  (name) => `OIDC_${name}`,
);

/**
 * Reads the issuer of access tokens.
 *
 * @param wanted whether access tokens are accepted; if not, returns undefined.
 */
export function readIssuerSettings(settings: Settings, wanted: boolean): IssuerSettings | undefined {
  if (!wanted) return settings.requireUnset(VARIABLES, "unless AUTH includes jwt");
  const audience = settings.text("OIDC_AUDIENCE");
  if (audience === "")
    return settings.reject("OIDC_AUDIENCE must be the audience (aud claim) of access tokens for this service");
  const clientId = settings.text("OIDC_CLIENT_ID") || undefined;
  // ID tokens have the client as their audience, and need not have the claims that tell them from access tokens.
  if (clientId === audience)
    return settings.reject("OIDC_CLIENT_ID must differ from OIDC_AUDIENCE: else ID tokens would pass as access tokens");
  return {
    issuer: settings.parse("OIDC_ISSUER", "", parseIssuer, "be a URL such as https://login.example.com"),
    audience,
    scopeClaim: settings.text("OIDC_SCOPE_CLAIM", "scope"),
    accountClaim: settings.text("OIDC_ACCOUNT_CLAIM"),
    clientId,
    signInScope: settings.parse("OIDC_SCOPE", "openid", parseScope, "be scopes separated by single spaces"),
  };
}

/** Scopes consist of printable ASCII characters without quote and backslash (RFC 6749 section 3.3). */
function parseScope(text: string): string | undefined {
  return /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/.test(text) ? text : undefined;
}

/**
 * Requires HTTPS unless the host is local: an attacker who could impersonate the issuer could authenticate as anyone.
 */
function parseIssuer(text: string): string | undefined {
  const url = URL.parse(text);
  const isLocal = url?.protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  return (url?.protocol === "https:" || isLocal) && url?.search === "" && url.hash === "" ? text : undefined;
}
