import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { Logger } from "pino";
import {
  readTlsFiles,
  requireUsableTlsFiles,
  type TlsFileContents,
  type TlsFilePaths,
} from "../../config/tls-files.js";
import { detectCleartextHttp } from "../detect-protocol.js";
import { type TlsClient, TlsClients } from "./tls-clients.js";

export interface TlsLayer {
  /**
   * Performs the TLS handshake and passes the decrypted connection to `onSecure`. Closes the connection if the handshake fails.
   *
   * @param onClear called instead if the client sends cleartext HTTP.
   */
  secure(socket: Socket, onSecure: SecureListener, onClear: () => void): void;
  /** Stops checking the certificate files for changes. */
  close(): void;
}

/** Receives a decrypted connection. `client` is undefined if the client presented no certificate. */
type SecureListener = (clear: Socket, client: TlsClient | undefined) => void;

/** A TLS handshake in progress. `ca` contains the CA certificates that were trusted when it began. */
interface Handshake {
  readonly onSecure: SecureListener;
  readonly ca: string | undefined;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;

const CHECK_INTERVAL_MS = 1000;

/**
 * Creates a TLS layer that offers HTTP/2 and HTTP/1.1. It checks the TLS files for changes every second. New connections use the new
 * certificate; open connections keep the previous one. Unusable files are logged and ignored. If the CA certificates for clients change, all
 * clients with certificates must reconnect.
 *
 * @throws TlsFileError if the files cannot be used at the start.
 */
export function createTlsLayer(settings: TlsFilePaths, log: Logger): TlsLayer {
  let current = readTlsFiles(settings);
  const server = createServer({
    ...current,
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    // Clients without a certificate may connect, because each request is authenticated separately.
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

  /** The problem that the last check of the files found, so that it is logged only once. Empty for none. */
  let problem = "";
  async function checkFiles(): Promise<void> {
    clients.retireExpired(Date.now());
    try {
      const files = await readFiles(settings);
      if (files.cert === current.cert && files.key === current.key && files.ca === current.ca) {
        problem = "";
        return;
      }
      requireUsableTlsFiles(files);
      // Also invalidates all session tickets that the server has issued.
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
      detectCleartextHttp(socket, HANDSHAKE_TIMEOUT_MS, (isClear) => {
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

async function readFiles({ certFile, keyFile, clientCaFile }: TlsFilePaths): Promise<TlsFileContents> {
  const [cert = "", key = "", ca] = await Promise.all(
    [certFile, keyFile, clientCaFile ?? []].flat().map((file) => readFile(file, "utf8")),
  );
  return { cert, key, ca };
}

/** Identifies a connection by the addresses and ports of both ends, which a socket and the TLS socket over it share. */
function connectionKey({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
