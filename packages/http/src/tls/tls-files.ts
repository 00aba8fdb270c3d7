import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";

/** Paths of PEM files. */
export interface TlsSettings {
  /** The server's certificate, and those of the authorities between it and the root, in this order. */
  readonly certFile: string;
  readonly keyFile: string;
  /** The certificates of the authorities whose client certificates are accepted; undefined if clients are asked for none. */
  readonly clientCaFile?: string | undefined;
}

/** A PEM file that cannot be used. The message begins with "must be", for callers that name the file in their own words. */
export class TlsFileError extends Error {
  override readonly name = "TlsFileError";

  /** @param files the settings at fault. */
  constructor(
    readonly files: readonly (keyof TlsSettings)[],
    message: string,
  ) {
    super(message);
  }
}

/** What is in the files that connections are encrypted with, in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Whose client certificates are taken; undefined if clients are asked for none. */
  readonly ca: string | undefined;
}

/**
 * Reads and checks the files.
 *
 * @throws TlsFileError if one cannot be read, or if they do not belong together.
 */
export function readTlsFiles({ certFile, keyFile, clientCaFile }: TlsSettings): TlsFiles {
  const files = {
    cert: requireFile("certFile", certFile),
    key: requireFile("keyFile", keyFile),
    ca: clientCaFile && requireFile("clientCaFile", clientCaFile),
  };
  try {
    createSecureContext({ cert: files.cert, key: files.key });
  } catch (error) {
    throw new TlsFileError(["certFile", "keyFile"], `must be a certificate and its key in PEM: ${messageOf(error)}`);
  }
  requireAuthorities(files);
  return files;
}

/**
 * The fingerprints (SHA-256) of the authorities whose client certificates are taken.
 *
 * @throws TlsFileError if there is none where there must be one: Node.js passes over what is no certificate.
 */
export function requireAuthorities({ ca }: TlsFiles): ReadonlySet<string> {
  if (ca === undefined) return new Set();
  const blocks = ca.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    if (blocks.length > 0) return new Set(blocks.map((block) => new X509Certificate(block).fingerprint256));
  } catch {
    // Refused below.
  }
  throw new TlsFileError(["clientCaFile"], "must be a PEM file of CA certificates for clients");
}

function requireFile(name: keyof TlsSettings, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new TlsFileError([name], `must be a readable file: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
