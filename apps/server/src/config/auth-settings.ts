import { type ClientCertificateScopes, DEFAULT_CLIENT_CERTIFICATE_SCOPES } from "./client-certificate-scopes.js";
import type { IssuerSettings } from "./issuer-settings.js";
import type { Settings } from "./settings.js";

export interface AuthSettings {
  /** Whether API keys are accepted. */
  readonly keys: boolean;
  /** The issuer whose access tokens are accepted; undefined if no access tokens are accepted. */
  readonly issuer: IssuerSettings | undefined;
  /** The scopes of clients that authenticate with a certificate; undefined if certificates do not authenticate clients. */
  readonly certificates?: ClientCertificateScopes | undefined;
}

/** Returns undefined if authentication is off, which is the default if HOST is a loopback host. */
export function createAuthSettings(settings: Settings): AuthSettings | undefined {
  const { AUTH = "none" } = settings;
  if (AUTH === "none") return undefined;
  return {
    keys: AUTH.includes("keys"),
    issuer: createIssuerSettings(settings),
    certificates:
      settings.TLS_CLIENT_CA === undefined
        ? undefined
        : (settings.TLS_CLIENT_SCOPES ?? DEFAULT_CLIENT_CERTIFICATE_SCOPES),
  };
}

/** Returns undefined if access tokens are not accepted. Otherwise, the issuer and the audience are always set. */
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
