import type { Settings } from "./settings.js";
import { readTlsFiles, TlsFileError, type TlsSettings } from "./tls-files.js";

const VARIABLES: Readonly<Record<keyof TlsSettings, string>> = {
  certFile: "TLS_CERT",
  keyFile: "TLS_KEY",
  clientCaFile: "TLS_CLIENT_CA",
};

/** Reads the TLS certificate files; undefined for unencrypted connections. */
export function readTlsSettings(settings: Settings): TlsSettings | undefined {
  const [certFile, keyFile] = [settings.text("TLS_CERT"), settings.text("TLS_KEY")];
  if (certFile === "" && keyFile === "") {
    return settings.requireUnset(["TLS_CLIENT_CA"], "without TLS_CERT and TLS_KEY: client certificates require TLS");
  }
  if (keyFile === "") return settings.reject("TLS_KEY must be the private key file of TLS_CERT");
  if (certFile === "") return settings.reject("TLS_CERT must be the certificate file of TLS_KEY");
  const files = { certFile, keyFile, clientCaFile: settings.text("TLS_CLIENT_CA") || undefined };
  try {
    readTlsFiles(files);
  } catch (error) {
    if (!(error instanceof TlsFileError)) throw error;
    settings.reject(`${error.files.map((file) => VARIABLES[file]).join(" and ")} ${error.message}`);
  }
  return files;
}
