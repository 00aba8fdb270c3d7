import { ConfigError } from "../config-error.js";
import { type IssuerSettings, readIssuerSettings } from "./issuer-settings.js";

/** How callers are told apart. */
export interface AuthSettings {
  /** Whether by API keys. */
  readonly keys: boolean;
  /** Whose access tokens are taken; undefined for nobody's. */
  readonly issuer: IssuerSettings | undefined;
}

/** Reads an environment variable that may be unset. */
export type ReadVariable = (name: string, byDefault: string) => string;

const WAYS = ["keys", "jwt"];

/** The hosts that only this machine reaches. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/**
 * Reads how callers are told apart; undefined if nobody is asked, which is the default where only this machine reaches the
 * server.
 *
 * @throws ConfigError
 */
export function readAuthSettings(read: ReadVariable, host: string): AuthSettings | undefined {
  const auth = read("AUTH", LOOPBACK.test(host) ? "none" : "");
  const ways = auth === "none" ? [] : auth.split(",");
  if (auth === "") throw new ConfigError(HOW_TO_GO_ON);
  if (!ways.every((way) => WAYS.includes(way))) {
    throw new ConfigError(`AUTH must be none, keys, jwt or keys,jwt, not ${JSON.stringify(auth)}`);
  }
  const issuer = readIssuerSettings(read, ways.includes("jwt"));
  return ways.length === 0 ? undefined : { keys: ways.includes("keys"), issuer };
}

const HOW_TO_GO_ON =
  "AUTH must be set where HOST is more than this machine: to keys, and calltrack-server create-admin-key makes the first one; " +
  "to jwt; or to none, which lets whoever reaches the server do everything";
