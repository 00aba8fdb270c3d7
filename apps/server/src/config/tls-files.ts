import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";

/** The paths of the PEM files for TLS. */
export interface TlsFilePaths {
  /** The file of the server's certificate, followed by the intermediate certificates. */
  readonly certFile: string;
  readonly keyFile: string;
  /** The file of the certificate authorities that issue client certificates. Undefined if client certificates are not requested. */
  readonly clientCaFile?: string | undefined;
}

/** Thrown if a PEM file cannot be used. Its message begins with "must", so that an error report can put the name of the setting before it. */
export class TlsFileError extends Error {
  override readonly name = "TlsFileError";

  /**
   * @param files the properties of `TlsFilePaths` whose files are invalid, such as `clientCaFile`.
   */
  constructor(
    readonly files: readonly (keyof TlsFilePaths)[],
    message: string,
  ) {
    super(message);
  }
}

/** Matches the mark of an encrypted private key in PEM: in its first line (PKCS #8), or in its second line (OpenSSL's older format). */
const ENCRYPTED_KEY = /^(?:-----BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED)/m;

/** The contents of the PEM files for TLS. */
export interface TlsFileContents {
  readonly cert: string;
  readonly key: string;
  /** Undefined if client certificates are not requested. */
  readonly ca: string | undefined;
}

/** Reads and checks the PEM files for TLS. Throws a TlsFileError if a file cannot be read or used. */
export function readTlsFiles({ certFile, keyFile, clientCaFile }: TlsFilePaths): TlsFileContents {
  const files = {
    cert: requireFile("certFile", certFile),
    key: requireFile("keyFile", keyFile),
    ca: clientCaFile && requireFile("clientCaFile", clientCaFile),
  };
  requireUsableTlsFiles(files);
  return files;
}

/**
 * Checks the contents of the PEM files for TLS. Node itself does not reject all invalid files: with an empty key, for example, every handshake fails.
 *
 * @throws TlsFileError if a file is invalid, or if the private key does not belong to the certificate.
 */
export function requireUsableTlsFiles(files: TlsFileContents): void {
  const certificate = parse(
    "certFile",
    () => new X509Certificate(files.cert),
    "must be a certificate in PEM, which begins with -----BEGIN CERTIFICATE-----",
  );
  const problem = ENCRYPTED_KEY.test(files.key)
    ? "must be a key without a passphrase: decrypt it with openssl pkey -in FILE -out NEW_FILE"
    : "must be a private key in PEM, which begins with -----BEGIN PRIVATE KEY-----";
  const key = parse("keyFile", () => createPrivateKey(files.key), problem);
  if (!certificate.checkPrivateKey(key)) {
    throw new TlsFileError(
      ["certFile", "keyFile"],
      "must match: the private key must belong to the first certificate in the certificate file",
    );
  }
  try {
    createSecureContext({ cert: files.cert, key: files.key });
  } catch (error) {
    throw new TlsFileError(["certFile", "keyFile"], `must be a certificate and its key in PEM: ${messageOf(error)}`);
  }
  requireAuthorities(files);
}

function parse<T>(file: keyof TlsFilePaths, read: () => T, problem: string): T {
  try {
    return read();
  } catch {
    throw new TlsFileError([file], problem);
  }
}

/** @throws TlsFileError if the file of certificate authorities has no certificate, or an invalid one. Node itself would ignore both problems. */
function requireAuthorities({ ca }: TlsFileContents): void {
  if (ca === undefined) return;
  const blocks = ca.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    const authorities = blocks.map((block) => new X509Certificate(block));
    if (authorities.length > 0) return;
  } catch {
    // The `TlsFileError` after this block reports an invalid certificate.
  }
  throw new TlsFileError(
    ["clientCaFile"],
    "must be a PEM file of CA certificates, which begin with -----BEGIN CERTIFICATE-----",
  );
}

function requireFile(name: keyof TlsFilePaths, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new TlsFileError([name], `must be a readable file: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
