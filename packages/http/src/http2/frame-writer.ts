import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Up to this total size, copying the pieces into one buffer is cheaper than a vectored write. */
const MAX_COPIED_BYTES = 32 * 1024;

/** Buffers the output of a connection, and writes it once per turn of the event loop. */
export class FrameWriter {
  readonly #socket: Duplex;
  #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(socket: Duplex) {
    this.#socket = socket;
  }

  /** Bytes in this buffer and in the socket's buffer. */
  get bufferedBytes(): number {
    return this.#size + this.#socket.writableLength;
  }

  /** Total bytes that the socket has passed to the operating system. */
  get flushedBytes(): number {
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
    } else if (size <= MAX_COPIED_BYTES) {
      this.#socket.write(Buffer.concat(pieces, size));
    } else {
      this.#socket.cork();
      for (const piece of pieces) this.#socket.write(piece);
      this.#socket.uncork();
    }
  }
}
