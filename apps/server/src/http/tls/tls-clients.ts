import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** A client that presented a valid certificate on its connection. */
export interface TlsClient {
  /** The first URI in the certificate (such as a SPIFFE ID); failing that, the first host name; failing that, the common name of the subject. */
  readonly name: string;
  /** Calls the listener once the certificate is no longer accepted, even if that happened earlier. See `Connection.retire`. */
  onRetired(listener: () => void): void;
}

/** The open connections with client certificates. */
export class TlsClients {
  readonly #clients = new Map<Socket, { readonly end: number; readonly retire: () => void }>();

  /**
   * Registers the client of a connection after its handshake. Returns undefined if the client presented no certificate.
   *
   * @throws Error if the certificate is not trusted, has expired, or has no name.
   */
  admit(socket: TLSSocket): TlsClient | undefined {
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return undefined;
    if (!socket.authorized) throw new Error(`The client certificate is not valid: ${socket.authorizationError}`);
    const end = Date.parse(certificate.validTo);
    // Node checks the expiry only in full handshakes, not when a session is resumed.
    if (end < Date.now()) throw new Error("The client certificate has expired.");
    const name = nameOf(certificate);
    if (name === undefined) throw new Error("The client certificate has no URI, host name or common name.");
    const retirement = Promise.withResolvers<void>();
    this.#clients.set(socket, { end, retire: retirement.resolve });
    socket.once("close", () => this.#clients.delete(socket));
    return { name, onRetired: (listener) => void retirement.promise.then(listener) };
  }

  /** Retires the clients whose certificates expired before `now`, in milliseconds since the epoch. */
  retireExpired(now: number): void {
    for (const { end, retire } of this.#clients.values()) if (end < now) retire();
  }

  /** Retires all clients. They can reconnect with a certificate that is still accepted. */
  retireAll(): void {
    this.retireExpired(Number.POSITIVE_INFINITY);
  }
}

/** Splits names at `, `: Node quotes names that contain commas and writes those commas as `\u002c`. */
function nameOf(certificate: X509Certificate): string | undefined {
  const names = certificate.subjectAltName?.split(", ") ?? [];
  const find = (kind: string) => names.find((name) => name.startsWith(kind))?.slice(kind.length);
  const { CN } = certificate.toLegacyObject().subject;
  return find("URI:") || find("DNS:") || (typeof CN === "string" ? CN : "") || undefined;
}
