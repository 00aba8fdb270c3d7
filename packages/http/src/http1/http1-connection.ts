import type { Socket } from "node:net";
import type { Peer } from "../exchange.js";
import { SocketPeer } from "../peer.js";
import { type ExchangeOwner, Http1Exchange } from "./http1-exchange.js";
import { HeadReader } from "./request-head.js";

/** What a connection is for. */
export interface Http1Options {
  readonly handle: (exchange: Http1Exchange) => void;
  /** Takes over the connection, with the unread bytes put back, at the first request that is not plain. */
  readonly handOver: (socket: Socket) => void;
  /** A request with a larger head is handed over. */
  readonly maxHeadBytes: number;
  /** Default: the other end of the socket, without a certificate. */
  readonly peer?: Peer;
  /** Time to wait for the rest of a request before the connection is handed over. Default: 100 ms. */
  readonly readTimeoutMs?: number;
  /**
   * Told how many bytes are kept of requests that cannot be handled yet, whenever that changes: those that wait for the rest of one,
   * and those behind a request in progress for which reading has stopped. 0 when there are none any more.
   */
  readonly onKept?: (connection: Http1Connection, bytes: number) => void;
}

/** A request with a larger body is handed over, to be read piece by piece. */
const MAX_BODY_BYTES = 64 * 1024;
/** Read-ahead of pipelined requests while one is in progress. */
const MAX_UNREAD_BYTES = 64 * 1024;
const READ_TIMEOUT_MS = 100;

const HEAD_END = Buffer.from("\r\n\r\n");

/**
 * The server's side of an HTTP/1.1 connection (RFC 9112) as long as its requests are plain: unambiguous, small and soon complete. At the
 * first other request, the connection is handed over to another HTTP/1.1 server.
 *
 * Requests are handled one at a time: a pipelined request waits for the response to the one before.
 */
export class Http1Connection implements ExchangeOwner {
  readonly socket: Socket;
  readonly peer: Peer;
  readonly #options: Http1Options;
  readonly #heads = new HeadReader();
  #unread: Buffer | undefined;
  #current: Http1Exchange | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What `onKept` was told last. */
  #kept = 0;
  #isTaking = false;
  #isRetired = false;
  #isClosing = false;
  #isHandedOver = false;

  constructor(socket: Socket, options: Http1Options) {
    this.socket = socket;
    this.peer = options.peer ?? new SocketPeer(socket);
    this.#options = options;
    socket.on("data", this.#onData).on("drain", this.#onDrain).on("end", this.#onEnd);
    // What is to be done then is done when it is closed.
    socket.on("error", ignore).on("close", this.#onClose);
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Ends the connection: at once, or with the answer to the request that is handled, or has begun to come. */
  close(): void {
    if (this.#current === undefined && this.#unread === undefined) {
      this.#isClosing = true;
      this.socket.destroySoon();
    } else this.retire();
  }

  /** Ends the connection with the next answer, which tells the client so. */
  retire(): void {
    this.#isRetired = true;
    if (this.#current !== undefined) this.#isClosing = true;
  }

  /** Lets go of what is kept: hands the connection over if it waits for the rest of a request, and otherwise ends it. */
  shed(): void {
    if (this.#timer === undefined || this.#isClosing) this.socket.destroy();
    else this.#handOver();
  }

  // The rest is called by an exchange.

  onResponded(): void {
    this.#current = undefined;
    if (this.#isClosing) this.socket.destroySoon();
    else this.#goOn();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isClosing) return;
    this.#unread = this.#unread === undefined ? chunk : Buffer.concat([this.#unread, chunk]);
    this.#goOn();
  };

  readonly #onDrain = (): void => {
    this.#current?.drain();
    this.#goOn();
  };

  /** Takes the buffered requests one after the other; none while responses wait for the client to read. */
  readonly #goOn = (): void => {
    if (this.#isTaking) return;
    this.#isTaking = true;
    while (this.#unread !== undefined && this.#current === undefined && !this.socket.writableNeedDrain) {
      if (!this.#take(this.#unread)) break;
    }
    this.#isTaking = false;
    if (this.#isHandedOver) return;
    this.#flow();
    this.#reportKept();
  };

  /** Reads on, unless there is enough to do with what was read. */
  #flow(): void {
    const { socket } = this;
    const hasEnough = this.#current !== undefined && (this.#unread?.length ?? 0) > MAX_UNREAD_BYTES;
    if (socket.writableNeedDrain || hasEnough) socket.pause();
    else if (socket.isPaused()) socket.resume();
  }

  /** Takes the first request of the bytes; false if there is nothing more to take for now. */
  #take(bytes: Buffer): boolean {
    if (this.#isClosing) return false;
    const headEnd = bytes.indexOf(HEAD_END);
    const headBytes = headEnd === -1 ? bytes.length : headEnd;
    if (headBytes > this.#options.maxHeadBytes) return this.#handOver();
    if (headEnd === -1) return this.#wait();
    const head = this.#heads.read(bytes.toString("latin1", 0, headEnd + 2));
    if (head === undefined || head.contentLength > MAX_BODY_BYTES) return this.#handOver();
    const start = headEnd + HEAD_END.length;
    const end = start + head.contentLength;
    if (bytes.length < end) return this.#wait();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const exchange = new Http1Exchange(this, head, bytes.subarray(start, end));
    this.#current = exchange;
    this.#unread = bytes.length === end ? undefined : bytes.subarray(end);
    this.#isClosing = head.isLast || this.#isRetired;
    this.#options.handle(exchange);
    return true;
  }

  #reportKept(): void {
    const isKept = this.#timer !== undefined || this.socket.isPaused();
    this.#tellKept(isKept ? (this.#unread?.length ?? 0) : 0);
  }

  #tellKept(bytes: number): void {
    if (bytes === this.#kept) return;
    this.#kept = bytes;
    this.#options.onKept?.(this, bytes);
  }

  #wait(): false {
    // What has ended, and has answers left that nobody takes, is not to be left as if more came.
    const { readTimeoutMs = READ_TIMEOUT_MS } = this.#options;
    this.#timer ??= setTimeout(() => this.#isClosing || this.#handOver(), readTimeoutMs);
    return false;
  }

  #handOver(): false {
    const { socket } = this;
    this.#isHandedOver = true;
    this.#stop();
    // Whoever takes it gets what is put back here first, and reads on.
    socket.pause();
    if (this.#unread !== undefined) socket.unshift(this.#unread);
    this.#unread = undefined;
    this.#options.handOver(socket);
    socket.resume();
    return false;
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#tellKept(0);
    const { socket } = this;
    socket.off("data", this.#onData).off("drain", this.#onDrain).off("end", this.#onEnd);
    socket.off("error", ignore).off("close", this.#onClose);
  }

  readonly #onEnd = (): void => {
    // A client that says that it will send no more is not there for the answers either.
    this.#isClosing = true;
    this.socket.end();
  };

  readonly #onClose = (): void => {
    this.#stop();
    this.#isClosing = true;
    this.#unread = undefined;
    const exchange = this.#current;
    this.#current = undefined;
    exchange?.giveUp();
  };
}

function ignore(): void {}
