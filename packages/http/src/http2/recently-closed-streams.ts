/** Maximum number of remembered streams. Beyond it, the oldest is removed. */
const MAX_STREAMS = 1024;

/** Streams that the server has reset while the client was sending. Frames that the client sent before it saw the reset are ignored. */
export class RecentlyClosedStreams {
  readonly #ids = new Set<number>();

  add(streamId: number): void {
    this.#ids.add(streamId);
    if (this.#ids.size <= MAX_STREAMS) return;
    const [oldest] = this.#ids;
    this.#ids.delete(oldest as number);
  }

  /** Removes a stream after its last frame. Returns whether it was one of these streams. */
  remove(streamId: number): boolean {
    return this.#ids.delete(streamId);
  }

  /** Whether a frame of the stream may be ignored. After a frame with END_STREAM, later frames are errors. */
  mayIgnore(streamId: number, endStream: boolean): boolean {
    return endStream ? this.remove(streamId) : this.#ids.has(streamId);
  }
}
