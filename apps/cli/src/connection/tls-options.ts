import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { readTextFile } from "../process/read-text-file.js";
import { UsageError } from "../process/usage-error.js";

/** The paths of the TLS files, all in PEM. */
export interface TlsFilePaths {
  /** CA certificates that replace the default ones of Node.js. */
  readonly ca?: string | undefined;
  /** Client certificate, optionally followed by its intermediate certificates. */
  readonly cert?: string | undefined;
  /** Private key of the client certificate. Default: the file of the client certificate. */
  readonly certKey?: string | undefined;
}

/** The contents of the TLS files. The property names are those of Node.js's TLS options. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Reads the TLS files. Throws UsageError if one cannot be read or is invalid. */
export function readTlsOptions({ ca: caFile, cert: certFile, certKey: keyFile = certFile }: TlsFilePaths): TlsOptions {
  if (certFile === undefined && keyFile !== undefined) throw new UsageError("--cert-key requires --cert");
  const ca = caFile === undefined ? {} : { ca: readTextFile(caFile) };
  const pair =
    certFile === undefined || keyFile === undefined ? {} : { cert: readTextFile(certFile), key: readTextFile(keyFile) };
  check(`${caFile} is not a certificate in PEM format`, () => ca.ca && new X509Certificate(ca.ca));
  check(
    `${certFile} and ${keyFile} are not a certificate and its private key in PEM format`,
    () => certFile && createSecureContext(pair),
  );
  return { ...ca, ...pair };
}

function check(problem: string, use: () => unknown): void {
  try {
    use();
  } catch {
    throw new UsageError(problem);
  }
}
