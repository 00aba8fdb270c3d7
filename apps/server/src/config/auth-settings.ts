import { type CertificateSettings, readCertificateSettings } from "./certificate-settings.js";
import { ConfigError } from "./config-error.js";
import { type IssuerSettings, readIssuerSettings } from "./issuer-settings.js";
import type { ReadVariable } from "./setting-values.js";

/** How callers are told apart. */
export interface AuthSettings {
  /** Whether by API keys. */
  readonly keys: boolean;
  /** Whose access tokens are taken; undefined for nobody's. */
  readonly issuer: IssuerSettings | undefined;
  /** What the holders of client certificates may do; undefined if they are not taken for callers. */
  readonly certificates?: CertificateSettings | undefined;
}

const WAYS = ["keys", "jwt", "certs"];

/** The hosts that only this machine reaches. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/**
 * Reads how callers are told apart; undefined if nobody is asked, which is the default where only this machine reaches the
 * server.
 *
 * @throws ConfigError
 */
export function readAuthSettings(read: ReadVariable, host: string): AuthSettings | undefined {
  const auth = read("AUTH", isLoopback(host) ? "none" : "");
  const ways = auth === "none" ? [] : auth.split(",");
  if (auth === "") throw new ConfigError(HOW_TO_GO_ON);
  if (!ways.every((way) => WAYS.includes(way))) {
    throw new ConfigError(
      `AUTH must be none, or a comma-separated list of keys, jwt and certs, not ${JSON.stringify(auth)}`,
    );
  }
  const issuer = readIssuerSettings(read, ways.includes("jwt"));
  const certificates = readCertificateSettings(read, ways.includes("certs"));
  return ways.length === 0 ? undefined : { keys: ways.includes("keys"), issuer, certificates };
}

/** Whether a server on a host is reached from this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

const HOW_TO_GO_ON =
  "AUTH must be set because HOST accepts connections from other machines: to keys (calltrack-server create-admin-key creates the first key), " +
  "jwt, certs, or none, which gives everyone who can reach the server full access";
