import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";

/** Paths of PEM files. */
export interface TlsSettings {
  /** The server's certificate, followed by the intermediate certificates. */
  readonly certFile: string;
  readonly keyFile: string;
  /** The certificates of the authorities that issue client certificates. Undefined if client certificates are not requested. */
  readonly clientCaFile?: string | undefined;
}

/** Thrown if a PEM file cannot be used. The message begins with "must", so that callers can prepend the name of the setting. */
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

/** Marks an encrypted key: in its first line (PKCS #8) or its second line (OpenSSL's older format). */
const ENCRYPTED_KEY = /^(?:-----BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED)/m;

/** The contents of the TLS files, in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Undefined if client certificates are not requested. */
  readonly ca: string | undefined;
}

/** Reads and checks the files. Throws a TlsFileError if a file cannot be read or used. */
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
 * Checks the contents of the files. Node itself accepts an empty key, for example, and every handshake then fails.
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
      "must match: the first certificate in the file must belong to the key",
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

/** @throws TlsFileError if the file of authorities has no certificate, or an invalid one, which Node itself would ignore. */
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
