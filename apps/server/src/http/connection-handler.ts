import type { Socket } from "node:net";
import type { Connection } from "./connection.js";

/** Serves a connection after TLS decryption, from its first byte. `certificateName` is undefined without a client certificate. */
export type ConnectionHandler = (socket: Socket, certificateName: string | undefined) => Connection;
