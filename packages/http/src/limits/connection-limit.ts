import type { Socket } from "node:net";
import { networkOf } from "./client-address.js";
import type { HttpLimits } from "./http-limits.js";

/** Observes the connections of a server. */
export interface ConnectionListener {
  connectionOpened(): void;
  connectionClosed(): void;
  /** A connection was closed immediately because of the total limit or the limit per address. */
  connectionRefused(): void;
}

type ConnectionLimits = Pick<HttpLimits, "maxConnections" | "maxConnectionsPerAddress" | "trustedProxies">;

/** Limits the number of connections, in total and per address. */
export class ConnectionLimit {
  readonly #max: number;
  readonly #maxPerAddress: number;
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
    this.#max = maxConnections;
    this.#maxPerAddress = maxConnectionsPerAddress ?? Number.POSITIVE_INFINITY;
  }

  /** Counts a connection until it is closed. Returns false, without counting it, if it exceeds a limit or is already closed. */
  admit(socket: Socket): boolean {
    if (socket.remoteAddress === undefined) return false;
    const network = networkOf(socket.remoteAddress);
    const count = this.#counts.get(network) ?? 0;
    if (this.#count >= this.#max || (count >= this.#maxPerAddress && !this.#proxies.has(socket.remoteAddress))) {
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
