import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** A client with a valid certificate, on one connection. */
export interface TlsClient {
  /** The certificate's first URI, such as a SPIFFE ID; without a URI, its first host name; without either, the subject's common name. */
  readonly name: string;
  /**
   * Calls the listener when the certificate is no longer accepted. If the certificate is already not accepted, calls the listener asynchronously. See
   * `Connection.retire`.
   */
  onRetired(listener: () => void): void;
}

/** Tracks the open connections of clients with certificates. */
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
    // Node checks the expiry only in full handshakes, not when a TLS session is resumed.
    if (end < Date.now()) throw new Error("The client certificate has expired.");
    const name = nameOf(certificate);
    if (name === undefined) throw new Error("The client certificate has no URI, host name or common name.");
    const retirement = Promise.withResolvers<void>();
    this.#clients.set(socket, { end, retire: retirement.resolve });
    socket.once("close", () => this.#clients.delete(socket));
    return { name, onRetired: (listener) => void retirement.promise.then(listener) };
  }

  /** Calls the `onRetired` listeners of the clients whose certificates expired before `now`, in milliseconds since the epoch. */
  retireExpired(now: number): void {
    for (const { end, retire } of this.#clients.values()) if (end < now) retire();
  }

  /** Calls the `onRetired` listeners of all clients. The clients can reconnect with a certificate that is still accepted. */
  retireAll(): void {
    this.retireExpired(Number.POSITIVE_INFINITY);
  }
}

/**
 * Returns the first URI, host name or common name. Skips empty names, and names with a NUL character, which the database cannot store. Node writes
 * commas within names as `\u002c`, so `, ` separates names.
 */
function nameOf(certificate: X509Certificate): string | undefined {
  const names = certificate.subjectAltName?.split(", ") ?? [];
  const list = (kind: string) =>
    names.filter((name) => name.startsWith(kind)).map((name) => unquote(name.slice(kind.length)));
  const { CN } = certificate.toLegacyObject().subject;
  return [...list("URI:"), ...list("DNS:"), CN].find(isUsable);
}

/** Node writes a name with a comma, a quote or a non-ASCII character as a JSON string (https://nodejs.org/api/crypto.html#x509subjectaltname). */
function unquote(name: string): string {
  return name.startsWith('"') ? JSON.parse(name) : name;
}

/** Whether a name can identify a client. If a certificate has several common names, `name` is a list. */
function isUsable(name: unknown): name is string {
  return typeof name === "string" && name !== "" && !name.includes("\0");
}
