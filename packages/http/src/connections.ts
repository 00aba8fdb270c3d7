import type { Socket } from "node:net";
import type { TlsClient } from "./tls/tls-clients.js";

/** Serves connections of both HTTP versions, from their first byte on. */
export interface Connections {
  serveHttp1(socket: Socket, client: TlsClient | undefined): void;
  serveHttp2(socket: Socket, client: TlsClient | undefined): void;
  /** Lets requests in progress finish, and accepts no new ones. */
  close(): void;
  /** Closes the connections that `ConnectionWatch` does not track. */
  destroy(): void;
}
