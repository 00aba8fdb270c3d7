/** Of more, the oldest is known no more. */
const MOST = 1024;

/** The streams that this side has ended while the client was still sending: it may not know of that yet. */
export class ForgottenStreams {
  readonly #ids = new Set<number>();

  add(streamId: number): void {
    this.#ids.add(streamId);
    if (this.#ids.size <= MOST) return;
    const [oldest] = this.#ids;
    this.#ids.delete(oldest as number);
  }

  /** The client has ended the stream too; gives whether it was one of them. */
  remove(streamId: number): boolean {
    return this.#ids.delete(streamId);
  }

  /** Whether a frame may still come of a stream, after which no more do if it ends the stream. */
  allows(streamId: number, endStream: boolean): boolean {
    return endStream ? this.remove(streamId) : this.#ids.has(streamId);
  }
}
