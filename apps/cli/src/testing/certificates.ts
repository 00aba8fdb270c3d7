import { KeyObject, webcrypto } from "node:crypto";
import "reflect-metadata";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  BasicConstraintsExtension,
  type Extension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A host name in the server's certificate that no DNS server can resolve. */
export const SERVER_NAME = "calltrack.test";

/** Paths of PEM files: a CA, and the certificates that it issued for this machine and for a client. */
export interface CertificateFiles {
  readonly ca: string;
  readonly server: string;
  readonly serverKey: string;
  readonly client: string;
  readonly clientKey: string;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

const CA_NAME = "CN=authority";

/** Creates the files in a folder. The certificates are valid for a day; `client` is the subject of the client certificate. */
export async function makeCertificates(folder: string, client: string): Promise<CertificateFiles> {
  const files = {
    ca: join(folder, "ca.pem"),
    server: join(folder, "server.pem"),
    serverKey: join(folder, "server.key"),
    client: join(folder, "client.pem"),
    clientKey: join(folder, "client.key"),
  };
  const thisMachine = new SubjectAlternativeNameExtension([
    { type: "ip", value: "127.0.0.1" },
    { type: "dns", value: SERVER_NAME },
  ]);
  const authority = await sign(CA_NAME, undefined, [new BasicConstraintsExtension(true, undefined, true)]);
  const signed = await sign("CN=server", authority.keys, [thisMachine]);
  const ofClient = await sign(client, authority.keys, []);
  await Promise.all([
    writeFile(files.ca, authority.cert),
    writeFile(files.server, signed.cert),
    writeFile(files.serverKey, signed.key),
    writeFile(files.client, ofClient.cert),
    writeFile(files.clientKey, ofClient.key),
  ]);
  return files;
}

async function sign(subject: string, signer: webcrypto.CryptoKeyPair | undefined, extensions: Extension[]) {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.create({
    subject,
    issuer: CA_NAME,
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 86_400_000),
    publicKey: keys.publicKey,
    signingKey: (signer ?? keys).privateKey,
    signingAlgorithm: ALGORITHM,
    extensions,
  });
  const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" });
  return { cert: certificate.toString("pem"), key, keys };
}
