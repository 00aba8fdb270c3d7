import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { Logger } from "pino";
import { readTlsFiles, requireTlsFiles, type TlsFiles, type TlsSettings } from "../../config/tls-files.js";
import { detectClearHttp } from "../detect-protocol.js";
import { type TlsClient, TlsClients } from "./tls-clients.js";

export interface TlsLayer {
  /**
   * Performs the handshake and passes on the decrypted connection. Closes the connection if the handshake fails.
   *
   * @param onClear receives the connection instead if its client sends HTTP without TLS.
   */
  secure(socket: Socket, onSecure: SecureListener, onClear: () => void): void;
  /** Stops checking the files for changes. */
  close(): void;
}

/** Receives a decrypted connection. `client` is undefined if it presented no certificate. */
type SecureListener = (clear: Socket, client: TlsClient | undefined) => void;

/** A handshake in progress. `ca` holds the CA certificates that were trusted when it began. */
interface Handshake {
  readonly onSecure: SecureListener;
  readonly ca: string | undefined;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;

const CHECK_INTERVAL_MS = 1000;

/**
 * Creates a TLS layer that offers HTTP/2 and HTTP/1.1. It checks the files for changes every second. New connections use the new
 * certificate; open connections keep the old one. Unusable files are logged and ignored. If the CA certificates for clients change, all
 * clients with certificates must reconnect.
 *
 * @throws TlsFileError if the files cannot be used.
 */
export function createTlsLayer(settings: TlsSettings, log: Logger): TlsLayer {
  let current = readTlsFiles(settings);
  const server = createServer({
    ...current,
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    // Clients without a certificate may connect: the application decides per request whether they may proceed.
    requestCert: current.ca !== undefined,
    rejectUnauthorized: false,
  });
  const clients = new TlsClients();
  const handshakes = new Map<string, Handshake>();
  server.on("secureConnection", (clear: TLSSocket) => {
    const { onSecure, ca } = handshakes.get(connectionKey(clear)) ?? {};
    try {
      if (ca !== current.ca) throw new Error("The trusted CA certificates changed during the handshake.");
      onSecure?.(clear, clients.admit(clear));
    } catch (error) {
      refuse(error, clear);
    }
  });
  server.on("tlsClientError", refuse);

  function refuse(error: unknown, clear: TLSSocket): void {
    log.debug({ err: error }, "a TLS handshake failed");
    clear.destroy();
  }

  /** The problem that the last check found. It is logged only once. */
  let problem = "";
  async function checkFiles(): Promise<void> {
    clients.retireExpired(Date.now());
    try {
      const files = await readFiles(settings);
      if (files.cert === current.cert && files.key === current.key && files.ca === current.ca) return;
      requireTlsFiles(files);
      // This also invalidates the session tickets issued so far.
      server.setSecureContext(files);
      if (files.ca !== current.ca) clients.retireAll();
      current = files;
      problem = "";
      log.info("loaded a new TLS certificate");
    } catch (error) {
      if (String(error) === problem) return;
      problem = String(error);
      log.error({ err: error }, "the TLS files cannot be used: keeping the current certificate");
    }
  }

  const timer = setInterval(checkFiles, CHECK_INTERVAL_MS).unref();
  return {
    secure(socket, onSecure, onClear) {
      detectClearHttp(socket, HANDSHAKE_TIMEOUT_MS, (isClear) => {
        if (isClear) {
          onClear();
          return;
        }
        const key = connectionKey(socket);
        handshakes.set(key, { onSecure, ca: current.ca });
        socket.once("close", () => handshakes.delete(key));
        server.emit("connection", socket);
      });
    },
    close: () => clearInterval(timer),
  };
}

async function readFiles({ certFile, keyFile, clientCaFile }: TlsSettings): Promise<TlsFiles> {
  const [cert = "", key = "", ca] = await Promise.all(
    [certFile, keyFile, clientCaFile ?? []].flat().map((file) => readFile(file, "utf8")),
  );
  return { cert, key, ca };
}

/** Identifies a connection by the addresses of both ends, which are the same for a socket and the TLS socket over it. */
function connectionKey({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
