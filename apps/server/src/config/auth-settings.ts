import { type CertificateSettings, readCertificateSettings } from "./certificate-settings.js";
import { type IssuerSettings, readIssuerSettings } from "./issuer-settings.js";
import type { Settings } from "./settings.js";

/** The enabled authentication methods. */
export interface AuthSettings {
  /** Whether API keys are accepted. */
  readonly keys: boolean;
  /** The issuer of accepted access tokens; undefined if tokens are not accepted. */
  readonly issuer: IssuerSettings | undefined;
  /** The scopes of client certificates; undefined if certificates do not authenticate callers. */
  readonly certificates?: CertificateSettings | undefined;
}

const METHODS = ["keys", "jwt", "certs"];

/** Hosts that are reachable only from this machine. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** Reads the authentication methods; undefined if authentication is off, the default for a loopback host. */
export function readAuthSettings(settings: Settings, host: string): AuthSettings | undefined {
  const auth = settings.text("AUTH", isLoopback(host) ? "none" : "");
  if (auth === "") return settings.reject(AUTH_REQUIRED);
  const methods = auth === "none" ? [] : auth.split(",");
  if (!methods.every((method) => METHODS.includes(method))) {
    return settings.reject(
      `AUTH must be none, or a comma-separated list of keys, jwt and certs, not ${JSON.stringify(auth)}`,
    );
  }
  const issuer = readIssuerSettings(settings, methods.includes("jwt"));
  const certificates = readCertificateSettings(settings, methods.includes("certs"));
  return methods.length === 0 ? undefined : { keys: methods.includes("keys"), issuer, certificates };
}

/** Whether a host is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

const AUTH_REQUIRED =
  "AUTH must be set because HOST accepts connections from other machines: to keys (calltrack-server create-admin-key creates the first key), " +
  "jwt, certs, or none, which gives everyone who can reach the server full access";
