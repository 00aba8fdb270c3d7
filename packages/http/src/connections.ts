import type { Socket } from "node:net";
import type { TlsClient } from "./tls/tls-clients.js";

/** Serves connections of both HTTP versions whose first bytes were not consumed. */
export interface Connections {
  serveHttp1(socket: Socket, client: TlsClient | undefined): void;
  serveHttp2(socket: Socket, client: TlsClient | undefined): void;
  /** Lets the requests in progress finish, and accepts no others. */
  close(): void;
  /** Closes the connections that `ConnectionWatch` does not know. */
  destroy(): void;
}
