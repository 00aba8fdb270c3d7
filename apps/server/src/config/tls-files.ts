import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";

/** Paths of PEM files. */
export interface TlsSettings {
  /** The server's certificate, followed by the intermediate certificates. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Certificates of the authorities that issue client certificates. Undefined if client certificates are not requested. */
  readonly clientCaFile?: string | undefined;
}

/** A PEM file cannot be used. The message begins with "must be", for callers that prepend the name of the setting. */
export class TlsFileError extends Error {
  override readonly name = "TlsFileError";

  /** @param files the settings whose files are invalid. */
  constructor(
    readonly files: readonly (keyof TlsSettings)[],
    message: string,
  ) {
    super(message);
  }
}

/** The first or second line of an encrypted key, by PKCS #8 or by OpenSSL's older format. */
const ENCRYPTED_KEY = /^(?:-----BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED)/m;

/** The contents of the TLS files, in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Certificates of the authorities that issue client certificates. Undefined if client certificates are not requested. */
  readonly ca: string | undefined;
}

/**
 * Reads and checks the files.
 *
 * @throws TlsFileError if a file cannot be read, or as `requireTlsFiles`.
 */
export function readTlsFiles({ certFile, keyFile, clientCaFile }: TlsSettings): TlsFiles {
  const files = {
    cert: requireFile("certFile", certFile),
    key: requireFile("keyFile", keyFile),
    ca: clientCaFile && requireFile("clientCaFile", clientCaFile),
  };
  requireTlsFiles(files);
  return files;
}

/**
 * Checks the contents of the files. Node itself would serve with an empty key, so that every handshake fails.
 *
 * @throws TlsFileError if a file is invalid, or if the key does not match the certificate.
 */
export function requireTlsFiles(files: TlsFiles): void {
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
      "must belong together: the first certificate of the file must be that of the key",
    );
  }
  try {
    createSecureContext({ cert: files.cert, key: files.key });
  } catch (error) {
    throw new TlsFileError(["certFile", "keyFile"], `must be a certificate and its key in PEM: ${messageOf(error)}`);
  }
  requireAuthorities(files);
}

function parse<T>(file: keyof TlsSettings, read: () => T, problem: string): T {
  try {
    return read();
  } catch {
    throw new TlsFileError([file], problem);
  }
}

/**
 * Checks the certificates of the authorities for client certificates.
 *
 * @throws TlsFileError if the file has no certificate, or an invalid one. Node itself ignores invalid certificates.
 */
function requireAuthorities({ ca }: TlsFiles): void {
  if (ca === undefined) return;
  const blocks = ca.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    const authorities = blocks.map((block) => new X509Certificate(block));
    if (authorities.length > 0) return;
  } catch {
    // Reported below.
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
