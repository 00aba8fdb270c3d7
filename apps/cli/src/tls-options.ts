import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { fileErrorText } from "./import/file-error.js";
import { UsageError } from "./usage-error.js";

/** The files that a connection over TLS is made with. */
export interface TlsFiles {
  /** The authorities that the server's certificate is to be of, in place of those that Node.js trusts. */
  readonly ca?: string | undefined;
  /** A client certificate, with those of the authorities between it and the root after it. */
  readonly cert?: string | undefined;
  /** Its key; by default in the same file. */
  readonly certKey?: string | undefined;
}

/** What is in them, in PEM, as Node.js takes it. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Reads the files. Throws a UsageError for one that can't be read or used. */
export function readTlsOptions({ ca: caFile, cert: certFile, certKey: keyFile = certFile }: TlsFiles): TlsOptions {
  if (certFile === undefined && keyFile !== undefined)
    throw new UsageError("--cert-key is the key of what --cert names");
  const ca = caFile === undefined ? {} : { ca: readFile(caFile) };
  const pair =
    certFile === undefined || keyFile === undefined ? {} : { cert: readFile(certFile), key: readFile(keyFile) };
  check(`${caFile} is no certificate in PEM`, () => ca.ca && new X509Certificate(ca.ca));
  check(
    `${certFile} and ${keyFile} are no certificate and its key in PEM`,
    () => certFile && createSecureContext(pair),
  );
  return { ...ca, ...pair };
}

function readFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${fileErrorText(error)}`);
  }
}

function check(problem: string, use: () => unknown): void {
  try {
    use();
  } catch {
    throw new UsageError(problem);
  }
}
