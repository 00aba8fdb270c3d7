import { ConfigError } from "./config-error.js";
import type { ReadVariable } from "./setting-values.js";

/** Whose access tokens are taken, and what their claims mean (OpenID Connect Core 1.0, RFC 9068). */
export interface IssuerSettings {
  /** The `iss` of its tokens, from where its keys are found by OpenID Connect Discovery. */
  readonly issuer: string;
  /** What `aud` must name. */
  readonly audience: string;
  /** The claim that has the scopes: names in a list, or in one text with spaces between them. */
  readonly scopeClaim: string;
  /**
   * The claim that names the account that the caller is bound to, by its token or its id; `*` stands for all accounts. Empty:
   * no caller is bound to one.
   */
  readonly accountClaim: string;
}

const VARIABLES = ["OIDC_ISSUER", "OIDC_AUDIENCE", "OIDC_SCOPE_CLAIM", "OIDC_ACCOUNT_CLAIM"];

/**
 * Reads whose access tokens are taken.
 *
 * @param wanted whether any are; undefined is returned if not.
 * @throws ConfigError
 */
export function readIssuerSettings(read: ReadVariable, wanted: boolean): IssuerSettings | undefined {
  if (!wanted) {
    const needless = VARIABLES.find((name) => read(name, "") !== "");
    if (needless !== undefined) throw new ConfigError(`${needless} must not be set unless AUTH includes jwt`);
    return undefined;
  }
  const audience = read("OIDC_AUDIENCE", "");
  if (audience === "")
    throw new ConfigError("OIDC_AUDIENCE must be the audience (aud claim) of access tokens for this service");
  return {
    issuer: parseIssuer(read("OIDC_ISSUER", "")),
    audience,
    scopeClaim: read("OIDC_SCOPE_CLAIM", "scope"),
    accountClaim: read("OIDC_ACCOUNT_CLAIM", ""),
  };
}

/** Whoever could answer in the issuer's place could let anyone in: only this machine is trusted without TLS. */
function parseIssuer(text: string): string {
  const url = URL.parse(text);
  const isLocal = url?.protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if ((url?.protocol === "https:" || isLocal) && url?.search === "" && url.hash === "") return text;
  throw new ConfigError(`OIDC_ISSUER must be a URL such as https://login.example.com, not ${JSON.stringify(text)}`);
}
