import { readTlsFiles, TlsFileError, type TlsSettings } from "@calltrack/http";
import { ConfigError } from "./config-error.js";

const VARIABLES: Readonly<Record<keyof TlsSettings, string>> = {
  certFile: "TLS_CERT",
  keyFile: "TLS_KEY",
  clientCaFile: "TLS_CLIENT_CA",
};

/**
 * Reads the TLS certificate files; undefined for unencrypted connections.
 *
 * @throws ConfigError
 */
export function readTlsSettings(read: (name: string, byDefault: string) => string): TlsSettings | undefined {
  const [certFile, keyFile, clientCaFile] = [read("TLS_CERT", ""), read("TLS_KEY", ""), read("TLS_CLIENT_CA", "")];
  if (certFile === "" && keyFile === "") {
    if (clientCaFile === "") return undefined;
    throw new ConfigError(
      "TLS_CLIENT_CA must not be set without TLS_CERT and TLS_KEY: client certificates require TLS",
    );
  }
  if (keyFile === "") throw new ConfigError("TLS_KEY must be the private key file of TLS_CERT");
  if (certFile === "") throw new ConfigError("TLS_CERT must be the certificate file of TLS_KEY");
  const settings = { certFile, keyFile, clientCaFile: clientCaFile || undefined };
  try {
    readTlsFiles(settings);
  } catch (error) {
    if (!(error instanceof TlsFileError)) throw error;
    throw new ConfigError(`${error.files.map((file) => VARIABLES[file]).join(" and ")} ${error.message}`);
  }
  return settings;
}
