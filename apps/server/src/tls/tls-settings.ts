import { ConfigError } from "../config-error.js";
import { readTlsPair } from "./tls-pair.js";

/** The files that connections are encrypted with, in PEM. */
export interface TlsSettings {
  /** The server's certificate, and those of the authorities between it and the root, in this order. */
  readonly certFile: string;
  readonly keyFile: string;
}

/**
 * Reads what connections are encrypted with; undefined if they are not.
 *
 * @throws ConfigError
 */
export function readTlsSettings(read: (name: string, byDefault: string) => string): TlsSettings | undefined {
  const [certFile, keyFile] = [read("TLS_CERT", ""), read("TLS_KEY", "")];
  if (certFile === "" && keyFile === "") return undefined;
  if (keyFile === "") throw new ConfigError("TLS_KEY must be the file of the key that belongs to TLS_CERT");
  if (certFile === "") throw new ConfigError("TLS_CERT must be the file of the certificate that belongs to TLS_KEY");
  readTlsPair(certFile, keyFile);
  return { certFile, keyFile };
}
