import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { type Authority, createAuthority } from "./authority.js";
import { type Certificate, createCertificate } from "./certificate.js";

export interface TlsFiles {
  readonly certificate: Certificate;
  readonly authority: Authority;
  readonly names: { readonly certFile: string; readonly keyFile: string; readonly clientCaFile: string };
}

/**
 * Creates a server certificate and an authority for client certificates, and writes them to files. The files are removed after the tests of the test
 * file.
 */
export async function createTlsFiles(): Promise<TlsFiles> {
  const folder = createFolder();
  const [certificate, authority] = await Promise.all([createCertificate("01"), createAuthority()]);
  const write = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const names = {
    certFile: await write("tls.crt", certificate.cert),
    keyFile: await write("tls.key", certificate.key),
    clientCaFile: await write("clients.crt", authority.cert),
  };
  return { certificate, authority, names };
}
