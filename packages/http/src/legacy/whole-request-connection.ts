import type { Socket } from "node:net";
import { HeadReader } from "../http1/request-head.js";
import { type RequestOwner, WholeRequest } from "./whole-request.js";

/** Takes a request; false leaves the connection, from this request on, to others. It may answer at once or later. */
export type WholeRequestHandler = (request: WholeRequest) => boolean;

/** What is taken of a connection. */
export interface Http1Options {
  readonly handle: WholeRequestHandler;
  /** Takes the connection where it is left, as if nothing of what is unread had come yet. */
  readonly leave: (socket: Socket) => void;
  /** Larger heads are left. */
  readonly maxHeadBytes: number;
  /**
   * Time to wait for the rest of a request before the connection is handed over to the other server, which enforces the timeouts.
   * 100 ms by default.
   */
  readonly readTimeoutMs?: number;
  /**
   * Told how many bytes are kept of requests that cannot be handled yet, whenever that changes: those that wait for the rest of one,
   * and those behind a request in progress for which reading has stopped. 0 when there are none any more.
   */
  readonly onKept?: (connection: Http1Connection, bytes: number) => void;
}

/** Larger bodies are left: they are worth being read bit by bit. */
const MOST_BODY_BYTES = 64 * 1024;
/** While a request is answered, so much is read of those behind it. */
const MOST_UNREAD_BYTES = 64 * 1024;
const READ_TIMEOUT_MS = 100;
const NOT_WHOLE: ReadonlySet<string> = new Set(["HEAD", "OPTIONS"]);

const HEAD_END = Buffer.from("\r\n\r\n");

/**
 * The server's side of a connection of HTTP/1.1 (RFC 9112) as long as its requests are plain: such as can be read in one way only,
 * small, and soon there as a whole. The first one that is not, and all behind it, are left to another server of HTTP/1.1.
 *
 * Requests are handled one after the other: one that is sent before the answer to another waits for it.
 */
export class Http1Connection implements RequestOwner {
  readonly socket: Socket;
  readonly #options: Http1Options;
  readonly #heads = new HeadReader();
  #unread: Buffer | undefined;
  #current: WholeRequest | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What `onKept` was told last. */
  #kept = 0;
  #isTaking = false;
  #isRetired = false;
  #isClosing = false;
  #hasLeft = false;

  constructor(socket: Socket, options: Http1Options) {
    this.socket = socket;
    this.#options = options;
    socket.on("data", this.#onData).on("drain", this.#goOn).on("end", this.#onEnd);
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
    else this.#leave();
  }

  // What follows is a request's to call.

  onAnswered(): void {
    this.#current = undefined;
    if (this.#isClosing) this.socket.destroySoon();
    else this.#goOn();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isClosing) return;
    this.#unread = this.#unread === undefined ? chunk : Buffer.concat([this.#unread, chunk]);
    this.#goOn();
  };

  /** Takes the requests that are there, one after the other; no more while its answers wait to be read. */
  readonly #goOn = (): void => {
    if (this.#isTaking) return;
    this.#isTaking = true;
    while (this.#unread !== undefined && this.#current === undefined && !this.socket.writableNeedDrain) {
      if (!this.#take(this.#unread)) break;
    }
    this.#isTaking = false;
    if (this.#hasLeft) return;
    this.#flow();
    this.#reportKept();
  };

  /** Reads on, unless there is enough to do with what was read. */
  #flow(): void {
    const { socket } = this;
    const hasEnough = this.#current !== undefined && (this.#unread?.length ?? 0) > MOST_UNREAD_BYTES;
    if (socket.writableNeedDrain || hasEnough) socket.pause();
    else if (socket.isPaused()) socket.resume();
  }

  /** Takes the first request of the bytes; false if there is nothing more to take for now. */
  #take(bytes: Buffer): boolean {
    if (this.#isClosing) return false;
    const headEnd = bytes.indexOf(HEAD_END);
    const headBytes = headEnd === -1 ? bytes.length : headEnd;
    if (headBytes > this.#options.maxHeadBytes) return this.#leave();
    if (headEnd === -1) return this.#wait();
    const head = this.#heads.read(bytes.toString("latin1", 0, headEnd + 2));
    if (head === undefined || head.contentLength > MOST_BODY_BYTES || NOT_WHOLE.has(head.method)) return this.#leave();
    const start = headEnd + HEAD_END.length;
    const end = start + head.contentLength;
    if (bytes.length < end) return this.#wait();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const request = new WholeRequest(this, head, bytes.subarray(start, end));
    this.#current = request;
    this.#unread = bytes.length === end ? undefined : bytes.subarray(end);
    this.#isClosing = head.isLast || this.#isRetired;
    if (this.#options.handle(request)) return true;
    this.#current = undefined;
    this.#unread = bytes;
    return this.#leave();
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
    this.#timer ??= setTimeout(() => this.#isClosing || this.#leave(), readTimeoutMs);
    return false;
  }

  #leave(): false {
    const { socket } = this;
    this.#hasLeft = true;
    this.#stop();
    // Whoever takes it gets what is put back here first, and reads on.
    socket.pause();
    if (this.#unread !== undefined) socket.unshift(this.#unread);
    this.#unread = undefined;
    this.#options.leave(socket);
    socket.resume();
    return false;
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#tellKept(0);
    const { socket } = this;
    socket.off("data", this.#onData).off("drain", this.#goOn).off("end", this.#onEnd);
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
    const request = this.#current;
    this.#current = undefined;
    request?.giveUp();
  };
}

function ignore(): void {}
