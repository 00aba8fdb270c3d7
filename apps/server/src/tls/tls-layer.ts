import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { Logger } from "pino";
import { readTlsPair } from "./tls-pair.js";
import type { TlsSettings } from "./tls-settings.js";

/** Decrypts connections. */
export interface TlsLayer {
  /** Does the handshake on a connection, and hands on what is in it; a connection that fails it is closed. */
  secure(socket: Socket, then: (clear: Socket) => void): void;
  /** Looks after the files no more. */
  close(): void;
}

/** A client that cannot make up its mind is not waited for. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

const LOOKING_INTERVAL_MS = 1000;

/**
 * Creates the layer, which offers HTTP/2 and HTTP/1.1. The files are looked at every second, whatever way they are replaced in:
 * new connections get the new certificate, those that are open stay as they are, and a pair that does not fit together is logged
 * and changes nothing.
 *
 * @throws ConfigError if the files cannot be used.
 */
export function createTlsLayer({ certFile, keyFile }: TlsSettings, log: Logger): TlsLayer {
  let current = readTlsPair(certFile, keyFile);
  const server = createServer({
    ...current,
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  });
  /** Why the files could not be used when they were looked at last: that is logged once. */
  let problem = "";
  const handshakes = new Map<string, (clear: Socket) => void>();
  server.on("secureConnection", (clear: TLSSocket) => handshakes.get(nameOf(clear))?.(clear));
  server.on("tlsClientError", (error, clear) => {
    log.debug({ err: error }, "a TLS handshake failed");
    clear.destroy();
  });

  async function look(): Promise<void> {
    try {
      const [cert, key] = await Promise.all([readFile(certFile, "utf8"), readFile(keyFile, "utf8")]);
      if (cert === current.cert && key === current.key) return;
      current = { cert, key };
      server.setSecureContext(current);
      problem = "";
      log.info("took a new TLS certificate");
    } catch (error) {
      if (String(error) === problem) return;
      problem = String(error);
      log.error({ err: error }, "the files of TLS_CERT and TLS_KEY cannot be used: the certificate stays as it was");
    }
  }

  const timer = setInterval(look, LOOKING_INTERVAL_MS).unref();
  return {
    secure(socket, then) {
      const name = nameOf(socket);
      handshakes.set(name, then);
      socket.once("close", () => handshakes.delete(name));
      server.emit("connection", socket);
    },
    close: () => clearInterval(timer),
  };
}

/** A connection by its other end: a socket and the encrypted one in it have that in common. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
