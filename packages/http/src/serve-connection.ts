import type { Socket } from "node:net";
import type { Peer } from "./exchange.js";

/**
 * Serves a connection from its first byte on. Returns a function that lets requests in progress finish, accepts no new ones, and closes the
 * connection.
 */
export type ServeConnection = (socket: Socket, peer: Peer) => () => void;
