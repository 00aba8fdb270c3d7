import type { Socket } from "node:net";
import type { Peer } from "./exchange.js";
import type { TlsClient } from "./tls/tls-clients.js";

/** The peer of a socket. */
export class SocketPeer implements Peer {
  readonly tlsClient: TlsClient | undefined;
  readonly #socket: Socket;

  constructor(socket: Socket, tlsClient?: TlsClient) {
    this.#socket = socket;
    this.tlsClient = tlsClient;
  }

  get address(): string {
    return this.#socket.remoteAddress ?? "";
  }

  get port(): number | undefined {
    return this.#socket.remotePort;
  }

  get isEncrypted(): boolean {
    return "encrypted" in this.#socket;
  }
}
