import type { Socket } from "node:net";
import type { Connection } from "./connection.js";

/** Serves a decrypted connection from its first byte on. */
export type ServeConnection = (socket: Socket, certificateName: string | undefined) => Connection;
