import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { ConfigError } from "../config-error.js";

/** A certificate and its key, in PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/**
 * Reads the files of TLS_CERT and TLS_KEY.
 *
 * @throws ConfigError if they cannot be read, or do not belong together.
 */
export function readTlsPair(certFile: string, keyFile: string): TlsPair {
  const pair = { cert: requireFile("TLS_CERT", certFile), key: requireFile("TLS_KEY", keyFile) };
  try {
    createSecureContext(pair);
  } catch (error) {
    throw new ConfigError(`TLS_CERT and TLS_KEY must be a certificate and its key in PEM: ${messageOf(error)}`);
  }
  return pair;
}

function requireFile(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigError(`${name} must be a file that can be read: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
