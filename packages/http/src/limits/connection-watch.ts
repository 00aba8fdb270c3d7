import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { HttpLimits } from "./http-limits.js";
import { ProgressTimeout } from "./progress-timeout.js";

/** A connection with its timeouts. */
interface WatchedConnection {
  readonly socket: Duplex;
  /** Bytes of responses that the client has not read. */
  readonly unsentBytes: number;
  /** Enforces the timeouts. */
  check(now: number): void;
}

/** The send timeout of an HTTP/1.1 connection applies to each of these units of its unsent bytes. */
const TIMEOUT_UNIT_BYTES = 1024 * 1024;

/** An HTTP/1.1 connection with its timeouts. */
export class WatchedSocket implements WatchedConnection {
  readonly socket: Socket;
  readonly #idle: ProgressTimeout;
  readonly #sending: ProgressTimeout;

  constructor(socket: Socket, { idleTimeoutMs, sendTimeoutMs }: HttpLimits) {
    this.socket = socket;
    this.#idle = new ProgressTimeout(idleTimeoutMs);
    this.#sending = new ProgressTimeout(sendTimeoutMs);
  }

  get unsentBytes(): number {
    return this.socket.writableLength;
  }

  /** Closes the connection after the idle timeout, or if the client reads nothing for the send timeout. */
  check(now: number): void {
    const { bytesRead, bytesWritten, writableLength } = this.socket;
    // Node does not report partial progress of a write, so larger writes get more time.
    const factor = Math.ceil(writableLength / TIMEOUT_UNIT_BYTES);
    const flushed = writableLength > 0 ? bytesWritten - writableLength : undefined;
    const isExpired =
      this.#idle.hasExpired(bytesRead + bytesWritten, now) || this.#sending.hasExpired(flushed, now, factor);
    if (isExpired) this.socket.destroy();
  }
}

/**
 * Checks all connections at least once a second. If unsent responses exceed `maxUnsentBytes`, it closes the connections with the most
 * unsent bytes.
 */
export class ConnectionWatch {
  readonly #maxUnsentBytes: number;
  readonly #connections = new Set<WatchedConnection>();
  readonly #timer: NodeJS.Timeout;

  constructor({ maxUnsentBytes, headerTimeoutMs, bodyTimeoutMs, sendTimeoutMs, idleTimeoutMs }: HttpLimits) {
    this.#maxUnsentBytes = maxUnsentBytes;
    const shortestMs = Math.min(headerTimeoutMs, bodyTimeoutMs, sendTimeoutMs, idleTimeoutMs);
    this.#timer = setInterval(() => this.#check(), Math.min(1000, shortestMs / 2)).unref();
  }

  /** Checks a connection until it is closed. */
  add(connection: WatchedConnection): void {
    this.#connections.add(connection);
    connection.socket.once("close", () => this.#connections.delete(connection));
  }

  /** Stops the checks. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const connection of this.#connections) connection.check(now);
    const sizes = Array.from(this.#connections, ({ socket, unsentBytes }) => ({ socket, unsentBytes }));
    let excess = sizes.reduce((sum, { unsentBytes }) => sum + unsentBytes, -this.#maxUnsentBytes);
    if (excess <= 0) return;
    sizes.sort((one, other) => other.unsentBytes - one.unsentBytes);
    for (const { socket, unsentBytes } of sizes) {
      if (excess <= 0) return;
      socket.destroy();
      excess -= unsentBytes;
    }
  }
}
