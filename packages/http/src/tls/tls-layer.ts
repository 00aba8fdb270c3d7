import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { type TlsClient, TlsClients } from "./tls-clients.js";
import { readTlsFiles, requireAuthorities, type TlsFiles, type TlsSettings } from "./tls-files.js";

/** Decrypts connections. */
export interface TlsLayer {
  /** Does the handshake on a connection, and hands on what is in it; a connection that fails it is closed. */
  secure(socket: Socket, then: (clear: Socket) => void): void;
  /** Who is at the other end of a connection that was handed on, by a client certificate; undefined if it has shown none. */
  findClient(clear: Socket): TlsClient | undefined;
  /** Looks after the files no more. */
  close(): void;
}

/** Is told what becomes of handshakes and files, to log it. */
export interface TlsListener {
  handshakeFailed?(error: unknown): void;
  /** New connections get a new certificate. */
  filesReplaced?(): void;
  /** The files cannot be used; told once for each problem. The certificate stays as it was. */
  filesUnusable?(error: unknown): void;
}

/** A handshake in progress, with the authorities of clients when it began. */
interface Handshake {
  readonly then: (clear: Socket) => void;
  readonly ca: string | undefined;
}

/** A client that cannot make up its mind is not waited for. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

const LOOKING_INTERVAL_MS = 1000;

/**
 * Creates the layer, which offers HTTP/2 and HTTP/1.1. The files are looked at every second, whatever way they are replaced in:
 * new connections get the new certificate, those that are open stay as they are, and files that do not fit together are reported
 * and change nothing. With other authorities all clients that have shown a certificate are to show one again.
 *
 * @throws TlsFileError if the files cannot be used.
 */
export function createTlsLayer(settings: TlsSettings, listener: TlsListener = {}): TlsLayer {
  let current = readTlsFiles(settings);
  const server = createServer({
    ...current,
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    // Whether a method is for clients without a certificate is known when it is called.
    requestCert: current.ca !== undefined,
    rejectUnauthorized: false,
  });
  const clients = new TlsClients();
  const handshakes = new Map<string, Handshake>();
  server.on("secureConnection", (clear: TLSSocket) => {
    const { then, ca } = handshakes.get(nameOf(clear)) ?? {};
    try {
      if (ca !== current.ca) throw new Error("the trusted CA certificates have changed");
      clients.admit(clear);
      then?.(clear);
    } catch (error) {
      refuse(error, clear);
    }
  });
  server.on("tlsClientError", refuse);

  function refuse(error: unknown, clear: TLSSocket): void {
    listener.handshakeFailed?.(error);
    clear.destroy();
  }

  /** Why the files could not be used when they were looked at last: that is logged once. */
  let problem = "";
  async function look(): Promise<void> {
    clients.retireUntil(Date.now());
    try {
      const files = await readFiles(settings);
      if (files.cert === current.cert && files.key === current.key && files.ca === current.ca) return;
      requireAuthorities(files);
      // Tickets of earlier sessions are not taken from now on.
      server.setSecureContext(files);
      if (files.ca !== current.ca) clients.retireAll();
      current = files;
      problem = "";
      listener.filesReplaced?.();
    } catch (error) {
      if (String(error) === problem) return;
      problem = String(error);
      listener.filesUnusable?.(error);
    }
  }

  const timer = setInterval(look, LOOKING_INTERVAL_MS).unref();
  return {
    secure(socket, then) {
      const name = nameOf(socket);
      handshakes.set(name, { then, ca: current.ca });
      socket.once("close", () => handshakes.delete(name));
      server.emit("connection", socket);
    },
    findClient: (clear) => clients.find(clear),
    close: () => clearInterval(timer),
  };
}

async function readFiles({ certFile, keyFile, clientCaFile }: TlsSettings): Promise<TlsFiles> {
  const [cert = "", key = "", ca] = await Promise.all(
    [certFile, keyFile, clientCaFile ?? []].flat().map((file) => readFile(file, "utf8")),
  );
  return { cert, key, ca };
}

/** A connection by its other end: a socket and the encrypted one in it have that in common. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
