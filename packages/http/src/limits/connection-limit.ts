import type { Socket } from "node:net";
import { networkOf } from "./client-address.js";
import type { HttpLimits } from "./http-limits.js";

/** Is told of connections, to count them. */
export interface ConnectionListener {
  openConnection(): void;
  closeConnection(): void;
  /** A connection was closed at once: there are too many, in all or from its address. */
  refuseConnection(): void;
}

type ConnectionLimits = Pick<HttpLimits, "maxConnections" | "maxConnectionsPerAddress" | "trustedProxies">;

/** Bounds the number of connections, in all and of each address. */
export class ConnectionLimit {
  readonly #most: number;
  readonly #mostOfOne: number;
  readonly #proxies: HttpLimits["trustedProxies"];
  #count = 0;
  readonly #counts = new Map<string, number>();
  readonly #listener: ConnectionListener | undefined;

  constructor(
    { maxConnections, maxConnectionsPerAddress, trustedProxies }: ConnectionLimits,
    listener?: ConnectionListener,
  ) {
    this.#listener = listener;
    this.#proxies = trustedProxies;
    this.#most = maxConnections;
    this.#mostOfOne = maxConnectionsPerAddress ?? Number.POSITIVE_INFINITY;
  }

  /** Counts a connection until it is closed; false, counting nothing, if it is one too many. */
  admit(socket: Socket): boolean {
    // It may be closed already.
    if (socket.remoteAddress === undefined) return false;
    const network = networkOf(socket.remoteAddress);
    const count = this.#counts.get(network) ?? 0;
    if (this.#count >= this.#most || (count >= this.#mostOfOne && !this.#proxies.has(socket.remoteAddress))) {
      this.#listener?.refuseConnection();
      return false;
    }
    this.#listener?.openConnection();
    this.#count++;
    this.#counts.set(network, count + 1);
    socket.once("close", () => this.#release(network));
    return true;
  }

  #release(network: string): void {
    this.#listener?.closeConnection();
    this.#count--;
    const count = (this.#counts.get(network) as number) - 1;
    if (count > 0) this.#counts.set(network, count);
    else this.#counts.delete(network);
  }
}
