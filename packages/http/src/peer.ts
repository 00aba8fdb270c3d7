import type { Socket } from "node:net";
import type { Peer } from "./exchange.js";
import type { TlsClient } from "./tls/tls-clients.js";

/** Creates the peer of a socket. */
export function createPeer(socket: Socket, tlsClient?: TlsClient): Peer {
  return {
    get address() {
      return socket.remoteAddress ?? "";
    },
    get port() {
      return socket.remotePort;
    },
    isEncrypted: "encrypted" in socket,
    tlsClient,
  };
}
