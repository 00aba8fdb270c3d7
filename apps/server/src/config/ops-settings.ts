import { ConfigError } from "./config-error.js";
import type { ReadVariable } from "./setting-values.js";

/** The environment variables of {@link OpsSettings}. */
export const OPS_VARIABLES = { host: "HOST", port: "OPS_PORT" };

/** Where the server tells those who run it how it is, apart from where it serves. */
export interface OpsSettings {
  readonly host: string;
  /** 0 to 65535; 0 picks a free port. */
  readonly port: number;
}

/**
 * Reads where metrics and health are told; undefined if that is on the port of the API.
 *
 * @param host where the API is served.
 * @throws ConfigError
 */
export function readOpsSettings(read: ReadVariable, host: string): OpsSettings | undefined {
  const text = read("OPS_PORT", "");
  if (text === "") return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) {
    throw new ConfigError(`OPS_PORT must be a number from 0 to 65535, not ${JSON.stringify(text)}`);
  }
  return { host, port };
}
