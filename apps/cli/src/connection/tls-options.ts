import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { UsageError } from "../process/usage-error.js";
import { fileErrorText } from "../text/file-error.js";

/** The paths of the TLS files, all in PEM. */
export interface TlsFiles {
  /** CA certificates that replace the default ones of Node.js. */
  readonly ca?: string | undefined;
  /** Client certificate, optionally followed by its intermediate certificates. */
  readonly cert?: string | undefined;
  /** Private key of the client certificate; by default in the same file. */
  readonly certKey?: string | undefined;
}

/** The contents of the TLS files, as Node.js takes them. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Reads the TLS files.
 *
 * @throws UsageError if a file cannot be read or is invalid.
 */
export function readTlsOptions({ ca: caFile, cert: certFile, certKey: keyFile = certFile }: TlsFiles): TlsOptions {
  if (certFile === undefined && keyFile !== undefined) throw new UsageError("--cert-key requires --cert");
  const ca = caFile === undefined ? {} : { ca: readFile(caFile) };
  const pair =
    certFile === undefined || keyFile === undefined ? {} : { cert: readFile(certFile), key: readFile(keyFile) };
  check(`${caFile} is not a certificate in PEM`, () => ca.ca && new X509Certificate(ca.ca));
  check(
    `${certFile} and ${keyFile} are not a certificate and its private key in PEM`,
    () => certFile && createSecureContext(pair),
  );
  return { ...ca, ...pair };
}

function readFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${fileErrorText(error)}`);
  }
}

function check(problem: string, use: () => unknown): void {
  try {
    use();
  } catch {
    throw new UsageError(problem);
  }
}
