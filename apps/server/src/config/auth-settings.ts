import { type CertificateSettings, DEFAULT_CERTIFICATES } from "./certificate-settings.js";
import type { IssuerSettings } from "./issuer-settings.js";
import type { Settings } from "./settings.js";

export interface AuthSettings {
  /** Whether API keys are accepted. */
  readonly keys: boolean;
  /** The issuer of accepted access tokens; undefined if tokens are not accepted. */
  readonly issuer: IssuerSettings | undefined;
  /** The scopes of client certificates; undefined if certificates do not authenticate callers. */
  readonly certificates?: CertificateSettings | undefined;
}

/** Returns undefined if authentication is off, which is the default for a loopback host. */
export function createAuthSettings(settings: Settings): AuthSettings | undefined {
  const { AUTH = "none" } = settings;
  if (AUTH === "none") return undefined;
  return {
    keys: AUTH.includes("keys"),
    issuer: createIssuerSettings(settings),
    certificates:
      settings.TLS_CLIENT_CA === undefined ? undefined : (settings.TLS_CLIENT_SCOPES ?? DEFAULT_CERTIFICATES),
  };
}

/** Returns undefined if access tokens are not accepted: only then is the issuer unset. */
function createIssuerSettings(settings: Settings): IssuerSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience } = settings;
  if (issuer === undefined || audience === undefined) return undefined;
  return {
    issuer,
    audience,
    scopeClaim: settings.OIDC_SCOPE_CLAIM ?? "scope",
    accountClaim: settings.OIDC_ACCOUNT_CLAIM ?? "",
    clientId: settings.OIDC_CLIENT_ID,
    signInScope: settings.OIDC_SCOPE ?? "openid",
  };
}
