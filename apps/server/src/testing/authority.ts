import type { webcrypto } from "node:crypto";
import "reflect-metadata";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { type Certificate, keyToPem, SIGNING_ALGORITHM } from "./certificate.js";

export interface ClientCertificateFields {
  /** The distinguished name, such as `CN=billing`. Default: empty. */
  readonly subject?: string;
  readonly names?: readonly JsonGeneralName[];
  /** The time of expiry. Default: in a day. */
  readonly notAfter?: Date;
  /** The extended key usage. Default: `clientAuth`. */
  readonly usage?: keyof typeof ExtendedKeyUsage;
}

/** A certificate authority for client certificates. */
export interface Authority {
  /** The authority's certificate in PEM. */
  readonly cert: string;
  /** Issues a client certificate, followed by the certificates of the intermediate authorities. */
  issue(fields: ClientCertificateFields): Promise<Certificate>;
  /** Creates an intermediate authority whose certificate this authority signs. */
  createIntermediate(): Promise<Authority>;
}

/** An authority's name and keys, and the chain of certificates that it appends to each certificate that it issues. */
interface Signer {
  readonly name: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly chain: string;
}

/** Creates a root certificate authority. */
export function createAuthority(): Promise<Authority> {
  return makeSignedBy(undefined);
}

async function makeSignedBy(parent: Signer | undefined): Promise<Authority> {
  const name = `CN=authority ${crypto.randomUUID()}`;
  const { cert, keys } = await sign(name, parent, [new BasicConstraintsExtension(true, undefined, true)]);
  const signer: Signer = { name, keys, chain: parent === undefined ? "" : `${cert}\n${parent.chain}` };
  return {
    cert,
    async issue({ subject = "", names = [], notAfter, usage = "clientAuth" }) {
      const extensions: Extension[] = [new ExtendedKeyUsageExtension([ExtendedKeyUsage[usage]])];
      if (names.length > 0) extensions.push(new SubjectAlternativeNameExtension([...names]));
      const issued = await sign(subject, signer, extensions, notAfter);
      return { cert: `${issued.cert}\n${signer.chain}`, key: await keyToPem(issued.keys) };
    },
    createIntermediate: () => makeSignedBy(signer),
  };
}

async function sign(
  subject: string,
  signer: Signer | undefined,
  extensions: Extension[],
  notAfter = new Date(Date.now() + 86_400_000),
): Promise<{ readonly cert: string; readonly keys: webcrypto.CryptoKeyPair }> {
  const keys = await crypto.subtle.generateKey(SIGNING_ALGORITHM, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.create({
    subject,
    issuer: signer?.name ?? subject,
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter,
    publicKey: keys.publicKey,
    signingKey: (signer?.keys ?? keys).privateKey,
    signingAlgorithm: SIGNING_ALGORITHM,
    extensions,
  });
  return { cert: certificate.toString("pem"), keys };
}
