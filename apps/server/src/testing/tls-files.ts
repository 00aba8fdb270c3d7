import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Authority, createAuthority } from "./authority.js";
import { type Certificate, createCertificate } from "./certificate.js";

/** The files of a server's certificate and of an authority for client certificates. Disposing of them removes the files. */
export interface TlsFiles extends AsyncDisposable {
  readonly certificate: Certificate;
  readonly authority: Authority;
  readonly names: { readonly certFile: string; readonly keyFile: string; readonly clientCaFile: string };
}

/** Creates the certificate and the authority, and writes their files. */
export async function createTlsFiles(): Promise<TlsFiles> {
  const folder = await mkdtemp(join(tmpdir(), "calltrack-tls-"));
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
  return { certificate, authority, names, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
