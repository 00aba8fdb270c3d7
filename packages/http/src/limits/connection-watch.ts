import type { Socket } from "node:net";
import type { Http2Connection } from "../http2/http2-connection.js";
import type { HttpLimits } from "./http-limits.js";
import { ProgressTimeout } from "./progress-timeout.js";

/** What the watch enforces. */
type WatchLimits = Pick<HttpLimits, "sendTimeoutMs" | "idleTimeoutMs" | "maxUnsentBytes">;

/** A connection, whose answers may wait to be taken. */
interface Watched {
  readonly unsentBytes: number;
  destroy(): void;
}

/** As long again as it may take at least, a client may take for each further of so many bytes. */
const PIECE_BYTES = 1024 * 1024;

/** A connection of HTTP/1.1. */
class WatchedSocket implements Watched {
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

  /** Ends the connection if nothing is asked over it, or nothing taken, for as long as may be. */
  check(now: number): void {
    const { bytesRead, bytesWritten, writableLength } = this.#socket;
    // Of what is being written Node does not tell how much of it is gone.
    const pieces = Math.ceil(writableLength / PIECE_BYTES);
    const passed = writableLength > 0 ? bytesWritten - writableLength : undefined;
    const isOver = this.#idle.isOver(bytesRead + bytesWritten, now) || this.#sending.isOver(passed, now, pieces);
    if (isOver) this.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/**
 * Looks at all connections once a second or more often: ends those of HTTP/1.1 that are idle or read nothing, as those of HTTP/2 do
 * by themselves; and if more answers wait than memory is to be spent on, those that most waits for.
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

  /** Takes no more streams of HTTP/2, and ends connections when theirs have ended. */
  close(): void {
    for (const connection of this.#http2) connection.close();
  }

  /** Ends all connections. */
  destroy(): void {
    for (const connection of [...this.#http1, ...this.#http2]) connection.destroy();
  }

  /** Watches no more. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const connection of this.#http1) connection.check(now);
    const all: readonly Watched[] = [...this.#http1, ...this.#http2];
    const excess = all.reduce((sum, { unsentBytes }) => sum + unsentBytes, -this.#settings.maxUnsentBytes);
    if (excess > 0) endLargest(all, excess);
  }
}

/** Ends the connections that most waits for, until so many bytes wait no more. */
function endLargest(connections: readonly Watched[], bytes: number): void {
  const sizes = connections.map((connection) => ({ connection, size: connection.unsentBytes }));
  sizes.sort((one, other) => other.size - one.size);
  let rest = bytes;
  for (const { connection, size } of sizes) {
    if (rest <= 0) return;
    connection.destroy();
    rest -= size;
  }
}
