import type { Socket } from "node:net";
import type { Peer } from "../exchange.js";
import { type ExchangeOwner, Http1Exchange } from "./http1-exchange.js";
import { RequestHeadReader } from "./request-head.js";

/** Options of an `Http1Connection`. */
export interface Http1Options {
  readonly handle: (exchange: Http1Exchange) => void;
  /** Takes over the connection at the first request that is not plain. Its unread bytes are put back into the socket. */
  readonly handOver: () => void;
  /** Requests with larger heads are handed over. */
  readonly maxHeadBytes: number;
  readonly peer: Peer;
  /** Time to wait for the rest of a request before the connection is handed over. Default: 100 ms. */
  readonly readTimeoutMs?: number;
  /**
   * Called when the number of bytes buffered for later requests changes, 0 included. Counts an incomplete request, and pipelined requests
   * beyond the read-ahead limit.
   */
  readonly onBuffered?: (connection: Http1Connection, bytes: number) => void;
}

/** Requests with larger bodies are handed over, because Node's server streams bodies. */
const MAX_BODY_BYTES = 64 * 1024;
/** Maximum read-ahead of pipelined requests while one is in progress. */
const MAX_UNREAD_BYTES = 64 * 1024;
const READ_TIMEOUT_MS = 100;

const HEAD_END = Buffer.from("\r\n\r\n");

/**
 * The server side of an HTTP/1.1 connection (RFC 9112) whose requests are plain: unambiguous, small and quickly received. At the first
 * request that is not, it hands the connection over to another HTTP/1.1 server.
 *
 * Requests are handled one at a time: a pipelined request waits for the response to the previous one.
 */
export class Http1Connection implements ExchangeOwner {
  readonly socket: Socket;
  readonly peer: Peer;
  readonly #options: Http1Options;
  readonly #heads = new RequestHeadReader();
  #unread: Buffer | undefined;
  #current: Http1Exchange | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The number of bytes last reported to `onBuffered`. */
  #reportedBytes = 0;
  #isProcessing = false;
  #isRetired = false;
  #isClosing = false;
  #isHandedOver = false;

  constructor(socket: Socket, options: Http1Options) {
    this.socket = socket;
    this.peer = options.peer;
    this.#options = options;
    socket.on("data", this.#onData).on("drain", this.#onDrain).on("end", this.#onEnd);
    // Every error is followed by "close", which cleans up.
    socket.on("error", ignore).on("close", this.#onClose);
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /**
   * Closes the connection: at once if it is idle, else after the response to the current or partly received request. Does nothing if it
   * was handed over.
   */
  close(): void {
    if (this.#isHandedOver) return;
    if (this.#current === undefined && this.#unread === undefined) {
      this.#isClosing = true;
      this.socket.destroySoon();
    } else this.retire();
  }

  /** Closes the connection after the next response, which has `connection: close`. */
  retire(): void {
    this.#isRetired = true;
    if (this.#current !== undefined) this.#isClosing = true;
  }

  /** Frees the buffered bytes: hands the connection over if it waits for the rest of a request, else closes it. */
  freeBuffer(): void {
    if (this.#timer === undefined || this.#isClosing) this.socket.destroy();
    else this.#handOver();
  }

  // Called by the current exchange.

  onResponded(): void {
    this.#current = undefined;
    if (this.#isClosing) this.socket.destroySoon();
    else this.#processBuffer();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isClosing) return;
    this.#unread = this.#unread === undefined ? chunk : Buffer.concat([this.#unread, chunk]);
    this.#processBuffer();
  };

  readonly #onDrain = (): void => {
    this.#current?.onDrain();
    this.#processBuffer();
  };

  /** Handles the buffered requests one at a time. Stops while the client does not read its responses. */
  readonly #processBuffer = (): void => {
    if (this.#isProcessing) return;
    this.#isProcessing = true;
    while (this.#unread !== undefined && this.#current === undefined && !this.socket.writableNeedDrain) {
      if (!this.#handleNext(this.#unread)) break;
    }
    this.#isProcessing = false;
    if (this.#isHandedOver) return;
    this.#applyBackpressure();
    this.#reportBuffered();
  };

  /** Stops reading while responses are unread or enough pipelined requests are buffered. */
  #applyBackpressure(): void {
    const { socket } = this;
    const hasReadAhead = this.#current !== undefined && (this.#unread?.length ?? 0) > MAX_UNREAD_BYTES;
    if (socket.writableNeedDrain || hasReadAhead) socket.pause();
    else if (socket.isPaused()) socket.resume();
  }

  /** Handles the first request in the buffer. Returns false if none can be handled now. */
  #handleNext(bytes: Buffer): boolean {
    if (this.#isClosing) return false;
    const headEnd = bytes.indexOf(HEAD_END);
    const headBytes = headEnd === -1 ? bytes.length : headEnd;
    if (headBytes > this.#options.maxHeadBytes) return this.#handOver();
    if (headEnd === -1) return this.#awaitRest();
    const head = this.#heads.read(bytes.toString("latin1", 0, headEnd + 2));
    if (head === undefined || head.contentLength > MAX_BODY_BYTES) return this.#handOver();
    const start = headEnd + HEAD_END.length;
    const end = start + head.contentLength;
    if (bytes.length < end) return this.#awaitRest();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const exchange = new Http1Exchange(this, head, bytes.subarray(start, end));
    this.#current = exchange;
    this.#unread = bytes.length === end ? undefined : bytes.subarray(end);
    this.#isClosing = head.isLast || this.#isRetired;
    this.#options.handle(exchange);
    return true;
  }

  #reportBuffered(): void {
    const isBuffered = this.#timer !== undefined || this.socket.isPaused();
    this.#report(isBuffered ? (this.#unread?.length ?? 0) : 0);
  }

  #report(bytes: number): void {
    if (bytes === this.#reportedBytes) return;
    this.#reportedBytes = bytes;
    this.#options.onBuffered?.(this, bytes);
  }

  #awaitRest(): false {
    const { readTimeoutMs = READ_TIMEOUT_MS } = this.#options;
    // A connection whose client has ended it may still have responses to send, so it must not be handed over.
    this.#timer ??= setTimeout(() => this.#isClosing || this.#handOver(), readTimeoutMs);
    return false;
  }

  #handOver(): false {
    const { socket } = this;
    this.#isHandedOver = true;
    this.#stop();
    // The pause makes the new owner receive the bytes that are put back before any others.
    socket.pause();
    if (this.#unread !== undefined) socket.unshift(this.#unread);
    this.#unread = undefined;
    this.#options.handOver();
    socket.resume();
    return false;
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#report(0);
    const { socket } = this;
    socket.off("data", this.#onData).off("drain", this.#onDrain).off("end", this.#onEnd);
    socket.off("error", ignore).off("close", this.#onClose);
  }

  readonly #onEnd = (): void => {
    // Half-closed connections are not supported: the client is treated as disconnected.
    this.#isClosing = true;
    this.socket.end();
  };

  readonly #onClose = (): void => {
    this.#stop();
    this.#isClosing = true;
    this.#unread = undefined;
    const exchange = this.#current;
    this.#current = undefined;
    exchange?.onDisconnect();
  };
}

function ignore(): void {}
