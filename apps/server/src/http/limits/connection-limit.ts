import type { Socket } from "node:net";
import type { HttpLimits } from "../../config/http-limits.js";
import { toClientNetwork } from "./client-address.js";
import type { ConnectionListener } from "./limit-metrics.js";

type ConnectionLimits = Pick<HttpLimits, "maxConnections" | "maxConnectionsPerAddress" | "trustedProxies">;

/** Limits the number of open connections, in total and per client address. */
export class ConnectionLimit {
  readonly #limits: ConnectionLimits;
  readonly #listener: ConnectionListener | undefined;
  #count = 0;
  readonly #counts = new Map<string, number>();

  constructor(limits: ConnectionLimits, listener?: ConnectionListener) {
    this.#limits = limits;
    this.#listener = listener;
  }

  /** Counts a connection until it closes. Returns false, without counting the connection, if it exceeds a limit or is already closed. */
  admit(socket: Socket): boolean {
    if (socket.remoteAddress === undefined) return false;
    const { maxConnections, maxConnectionsPerAddress = Number.POSITIVE_INFINITY, trustedProxies } = this.#limits;
    const network = toClientNetwork(socket.remoteAddress);
    const count = this.#counts.get(network) ?? 0;
    const isOneTooMany = count >= maxConnectionsPerAddress && !trustedProxies(socket.remoteAddress);
    if (this.#count >= maxConnections || isOneTooMany) {
      this.#listener?.connectionRefused();
      return false;
    }
    this.#listener?.connectionOpened();
    this.#count++;
    this.#counts.set(network, count + 1);
    socket.once("close", () => this.#release(network));
    return true;
  }

  #release(network: string): void {
    this.#listener?.connectionClosed();
    this.#count--;
    const count = (this.#counts.get(network) as number) - 1;
    if (count > 0) this.#counts.set(network, count);
    else this.#counts.delete(network);
  }
}
