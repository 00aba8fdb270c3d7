import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Up to this size it is cheaper to copy pieces into one buffer than to have the system gather them. */
const MOST_COPIED_BYTES = 32 * 1024;

/** Collects what is to be sent over a connection, and sends what there is once a turn of the event loop, in one piece. */
export class FrameWriter {
  readonly #socket: Duplex;
  #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(socket: Duplex) {
    this.#socket = socket;
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
      this.#socket.write(Buffer.concat(pieces, size));
    } else {
      this.#socket.cork();
      for (const piece of pieces) this.#socket.write(piece);
      this.#socket.uncork();
    }
  }
}
