import type { webcrypto } from "node:crypto";
import "reflect-metadata";
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";

/** A certificate and its private key, both in PEM format. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export const SIGNING_ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Creates a self-signed certificate for localhost that is valid for a day. */
export async function createCertificate(serialNumber: string): Promise<Certificate> {
  const keys = await crypto.subtle.generateKey(SIGNING_ALGORITHM, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber,
    name: "CN=localhost",
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 86_400_000),
    keys,
    signingAlgorithm: SIGNING_ALGORITHM,
    extensions: [
      new SubjectAlternativeNameExtension([
        { type: "dns", value: "localhost" },
        { type: "ip", value: "127.0.0.1" },
      ]),
    ],
  });
  return { cert: certificate.toString("pem"), key: await keyToPem(keys) };
}

export async function keyToPem({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const der = Buffer.from(await crypto.subtle.exportKey("pkcs8", privateKey)).toString("base64");
  return `-----BEGIN PRIVATE KEY-----\n${der.match(/.{1,64}/g)?.join("\n")}\n-----END PRIVATE KEY-----\n`;
}
