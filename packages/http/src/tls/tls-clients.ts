import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** A client that has shown a certificate on its connection. */
export interface TlsClient {
  /** Its SPIFFE ID or other URI, else its host name, else the common name of its subject. */
  readonly name: string;
  /** Calls back when its certificate holds no more, so that the connection is to take no more requests; at once if that is so. */
  onRetired(listener: () => void): void;
}

/** The clients of the connections that are open, as far as they have shown certificates. */
export class TlsClients {
  readonly #clients = new Map<
    Socket,
    { readonly client: TlsClient; readonly end: number; readonly retire: () => void }
  >();

  /**
   * Takes note of the client of a connection whose handshake is done; nothing if it has shown no certificate.
   *
   * @throws Error for a certificate that no authority vouches for now, or that names nobody.
   */
  admit(socket: TLSSocket): void {
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return;
    if (!socket.authorized) throw new Error(`the client certificate is not valid: ${socket.authorizationError}`);
    const end = Date.parse(certificate.validTo);
    // What a session was resumed with was looked at when it began.
    if (end < Date.now()) throw new Error("the client certificate has expired");
    const name = nameOf(certificate);
    if (name === undefined) throw new Error("the client certificate has no name");
    const retirement = Promise.withResolvers<void>();
    this.#clients.set(socket, {
      client: { name, onRetired: (listener) => void retirement.promise.then(listener) },
      end,
      retire: retirement.resolve,
    });
    socket.once("close", () => this.#clients.delete(socket));
  }

  /** The client of a connection; undefined if it has shown no certificate. */
  find(socket: Socket): TlsClient | undefined {
    return this.#clients.get(socket)?.client;
  }

  /** Retires the clients whose certificates have ended by now, in milliseconds of the system's clock. */
  retireUntil(now: number): void {
    for (const { end, retire } of this.#clients.values()) if (end < now) retire();
  }

  /** Retires all clients: each may connect anew, and show a certificate that holds. */
  retireAll(): void {
    this.retireUntil(Number.POSITIVE_INFINITY);
  }
}

/** Node.js puts a name that has a comma or a quote in it into quotes, with `\u002c` for the comma. */
function nameOf(certificate: X509Certificate): string | undefined {
  const names = certificate.subjectAltName?.split(", ") ?? [];
  const find = (kind: string) => names.find((name) => name.startsWith(kind))?.slice(kind.length);
  const { CN } = certificate.toLegacyObject().subject;
  return find("URI:") || find("DNS:") || (typeof CN === "string" ? CN : "") || undefined;
}
