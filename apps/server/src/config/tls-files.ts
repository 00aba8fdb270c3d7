import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { ConfigError } from "./config-error.js";

/** The files that connections are encrypted with, in PEM. */
export interface TlsSettings {
  /** The server's certificate, and those of the authorities between it and the root, in this order. */
  readonly certFile: string;
  readonly keyFile: string;
  /** The certificates of the authorities whose client certificates are taken; undefined if clients are asked for none. */
  readonly clientCaFile?: string | undefined;
}

/** What is in the files that connections are encrypted with, in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Whose client certificates are taken; undefined if clients are asked for none. */
  readonly ca: string | undefined;
}

/**
 * Reads the files of TLS_CERT, TLS_KEY and TLS_CLIENT_CA.
 *
 * @throws ConfigError if they cannot be read, or do not belong together.
 */
export function readTlsFiles({ certFile, keyFile, clientCaFile }: TlsSettings): TlsFiles {
  const files = {
    cert: requireFile("TLS_CERT", certFile),
    key: requireFile("TLS_KEY", keyFile),
    ca: clientCaFile && requireFile("TLS_CLIENT_CA", clientCaFile),
  };
  try {
    createSecureContext({ cert: files.cert, key: files.key });
  } catch (error) {
    throw new ConfigError(`TLS_CERT and TLS_KEY must be a certificate and its key in PEM: ${messageOf(error)}`);
  }
  requireAuthorities(files);
  return files;
}

/**
 * The fingerprints (SHA-256) of the authorities whose client certificates are taken.
 *
 * @throws ConfigError if there is none where there must be one: Node.js passes over what is no certificate.
 */
export function requireAuthorities({ ca }: TlsFiles): ReadonlySet<string> {
  if (ca === undefined) return new Set();
  const blocks = ca.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    if (blocks.length > 0) return new Set(blocks.map((block) => new X509Certificate(block).fingerprint256));
  } catch {
    // Refused below.
  }
  throw new ConfigError("TLS_CLIENT_CA must be a file of certificates in PEM, those of the authorities of clients");
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
