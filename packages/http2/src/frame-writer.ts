import { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Up to so many bytes it is cheaper to put pieces together than to have the system gather them. */
const MOST_COPIED_BYTES = 32 * 1024;

/** Where pieces are put together, for all connections: what is sent from there is mostly taken by the system at once. */
let scratch: Buffer | undefined;

/** Pieces put together, in bytes that hold until the next ones are. */
function gather(pieces: readonly Uint8Array[], size: number): Buffer {
  scratch ??= Buffer.allocUnsafeSlow(MOST_COPIED_BYTES);
  let at = 0;
  for (const piece of pieces) {
    scratch.set(piece, at);
    at += piece.length;
  }
  return scratch.subarray(0, size);
}

/** Collects what is to be sent over a connection, and sends what there is once a turn of the event loop, in one piece. */
export class FrameWriter {
  readonly #socket: Duplex;
  #pieces: Uint8Array[] = [];
  #size = 0;
  /** Whether what is written is with the system when `write` returns, as far as is known: so it is not where it is encrypted first. */
  #isTakenAtOnce: boolean;

  constructor(socket: Duplex) {
    this.#socket = socket;
    // Other streams may keep what they have taken.
    this.#isTakenAtOnce = socket instanceof Socket;
  }

  /** How many bytes wait, here and in the socket. */
  get waitingBytes(): number {
    return this.#size + this.#socket.writableLength;
  }

  /** How many bytes the socket has passed on. */
  get passedBytes(): number {
    return ((this.#socket as Socket).bytesWritten ?? 0) - this.#socket.writableLength;
  }

  write(piece: Uint8Array): void {
    if (this.#pieces.length === 0) setImmediate(() => this.flush());
    this.#pieces.push(piece);
    this.#size += piece.length;
  }

  flush(): void {
    const pieces = this.#pieces;
    const size = this.#size;
    if (pieces.length === 0) return;
    this.#pieces = [];
    this.#size = 0;
    if (!this.#socket.writable) return;
    if (pieces.length === 1) {
      this.#socket.write(pieces[0]);
    } else if (size <= MOST_COPIED_BYTES) {
      this.#writeTogether(pieces, size);
    } else {
      this.#socket.cork();
      for (const piece of pieces) this.#socket.write(piece);
      this.#socket.uncork();
    }
  }

  #writeTogether(pieces: readonly Uint8Array[], size: number): void {
    if (!this.#isTakenAtOnce) {
      this.#socket.write(Buffer.concat(pieces, size));
      return;
    }
    this.#socket.write(gather(pieces, size));
    if (this.#socket.writableLength === 0) return;
    this.#isTakenAtOnce = false;
    scratch = undefined;
  }
}
