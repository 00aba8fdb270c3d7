import type { Socket } from "node:net";
import type { Http2Connection } from "../http2/http2-connection.js";
import type { HttpLimits } from "./http-limits.js";
import { ProgressTimeout } from "./progress-timeout.js";

/** The limits that `ConnectionWatch` enforces. */
type WatchLimits = Pick<HttpLimits, "sendTimeoutMs" | "idleTimeoutMs" | "maxUnsentBytes">;

/** A connection with the size of its unsent responses. */
interface WatchedConnection {
  readonly unsentBytes: number;
  destroy(): void;
}

/** The send timeout of an HTTP/1.1 connection applies to each of these units of its unsent bytes. */
const TIMEOUT_UNIT_BYTES = 1024 * 1024;

/** An HTTP/1.1 connection with its timeouts. */
class WatchedSocket implements WatchedConnection {
  readonly #socket: Socket;
  readonly #idle: ProgressTimeout;
  readonly #sending: ProgressTimeout;

  constructor(socket: Socket, { idleTimeoutMs, sendTimeoutMs }: WatchLimits) {
    this.#socket = socket;
    this.#idle = new ProgressTimeout(idleTimeoutMs);
    this.#sending = new ProgressTimeout(sendTimeoutMs);
  }

  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  /** Closes the connection after the idle timeout, or if the client reads nothing for the send timeout. */
  check(now: number): void {
    const { bytesRead, bytesWritten, writableLength } = this.#socket;
    // Node does not report partial progress of a write, so larger writes get more time.
    const factor = Math.ceil(writableLength / TIMEOUT_UNIT_BYTES);
    const flushed = writableLength > 0 ? bytesWritten - writableLength : undefined;
    const isExpired =
      this.#idle.hasExpired(bytesRead + bytesWritten, now) || this.#sending.hasExpired(flushed, now, factor);
    if (isExpired) this.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/**
 * Checks all connections at least once a second. Closes HTTP/1.1 connections that are idle or do not read; HTTP/2 connections enforce
 * these timeouts themselves. If unsent responses exceed `maxUnsentBytes`, it closes the connections with the most unsent bytes.
 */
export class ConnectionWatch {
  readonly #settings: WatchLimits;
  readonly #http1 = new Set<WatchedSocket>();
  readonly #http2 = new Set<Http2Connection>();
  readonly #timer: NodeJS.Timeout;

  constructor(settings: WatchLimits) {
    this.#settings = settings;
    const shortestMs = Math.min(settings.sendTimeoutMs, settings.idleTimeoutMs);
    this.#timer = setInterval(() => this.#check(), Math.min(1000, shortestMs / 2)).unref();
  }

  addHttp1(socket: Socket): void {
    const connection = new WatchedSocket(socket, this.#settings);
    this.#http1.add(connection);
    socket.once("close", () => this.#http1.delete(connection));
  }

  addHttp2(connection: Http2Connection): void {
    this.#http2.add(connection);
    connection.onClose(() => this.#http2.delete(connection));
  }

  /** Stops the checks. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const connection of this.#http1) connection.check(now);
    const all: readonly WatchedConnection[] = [...this.#http1, ...this.#http2];
    const excess = all.reduce((sum, { unsentBytes }) => sum + unsentBytes, -this.#settings.maxUnsentBytes);
    if (excess > 0) closeLargest(all, excess);
  }
}

/** Closes the connections with the most unsent bytes until at least `bytes` are freed. */
function closeLargest(connections: readonly WatchedConnection[], bytes: number): void {
  const sizes = connections.map((connection) => ({ connection, size: connection.unsentBytes }));
  sizes.sort((one, other) => other.size - one.size);
  let rest = bytes;
  for (const { connection, size } of sizes) {
    if (rest <= 0) return;
    connection.destroy();
    rest -= size;
  }
}
