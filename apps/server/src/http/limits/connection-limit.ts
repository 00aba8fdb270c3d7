import type { Socket } from "node:net";
import type { LimitsSettings } from "../../config/limits-settings.js";
import type { LimitMetrics } from "../../observability/metrics/limit-metrics.js";
import { networkOf } from "./client-address.js";

/** Counts connections, in all and of each address. */
export class ConnectionLimit {
  readonly #most: number;
  readonly #mostOfOne: number;
  readonly #proxies: LimitsSettings["trustedProxies"];
  #count = 0;
  readonly #counts = new Map<string, number>();
  readonly #metrics: LimitMetrics;

  constructor({ maxConnections, maxConnectionsPerAddress, trustedProxies }: LimitsSettings, metrics: LimitMetrics) {
    this.#metrics = metrics;
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
      this.#metrics.refuseConnection();
      return false;
    }
    this.#metrics.openConnection();
    this.#count++;
    this.#counts.set(network, count + 1);
    socket.once("close", () => this.#release(network));
    return true;
  }

  #release(network: string): void {
    this.#metrics.closeConnection();
    this.#count--;
    const count = (this.#counts.get(network) as number) - 1;
    if (count > 0) this.#counts.set(network, count);
    else this.#counts.delete(network);
  }
}
